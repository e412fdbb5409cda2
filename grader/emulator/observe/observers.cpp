#include "observe/observers.hpp"

#include <utility>

#include "observe/access_counters.hpp"
#include "observe/block_watch.hpp"

namespace warpgrade::observe {

struct Observers::Impl {
  exec::Options options;
  AccessCounters counters;
  std::vector<BlockFindings> finished;
};

Observers::Observers(const exec::Options& options, const exec::Program&, exec::DeviceMemory&)
    : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
}
Observers::~Observers() = default;

bool Observers::wants_accesses() const {
  const exec::Options& o = impl_->options;
  return o.count || o.check_race || o.check_init;
}

void Observers::block_begin(exec::Block& block) { block.watch = new BlockWatch(block.linear); }

void Observers::access(const Access& access) {
  Impl& m = *impl_;
  if (m.options.count) m.counters.access(access);
}

void Observers::block_barrier(exec::Block&, const exec::Instruction*) {}
void Observers::partial_barrier(exec::Block&, const exec::Instruction*, const std::uint32_t*) {}
void Observers::warp_barrier(const exec::Warp&, const exec::Instruction*, std::uint32_t) {}
void Observers::fence(const exec::Warp&, const exec::Instruction*, std::uint32_t, ptx::Space) {}

void Observers::block_end(exec::Block& block) {
  const std::unique_ptr<BlockWatch> ended(&watch(block));
  block.watch = nullptr;
  if (!ended->findings.empty()) impl_->finished.push_back({block.linear, std::move(ended->findings)});
}

void Observers::report(exec::Block& block, Finding finding) {
  BlockWatch& to = watch(block);
  if (to.again(finding.kind, finding.site.instruction) == nullptr) to.add(std::move(finding));
}

std::vector<Observers::BlockFindings> Observers::take_findings() {
  return std::exchange(impl_->finished, {});
}
Counters Observers::take_counters() { return impl_->counters.take(); }

exec::Dim3 thread_of(const exec::Warp& warp, int lane) {
  const exec::Dim3& size = warp.block->launch->block;
  const std::uint32_t linear = warp.index * exec::kWarpSize + static_cast<std::uint32_t>(lane);
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

}  // namespace warpgrade::observe
