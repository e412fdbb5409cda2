#include "machine/observers.hpp"

#include <bit>
#include <optional>
#include <utility>

#include "checks/global_race/ordered_check.hpp"
#include "checks/shared_array_overflow.hpp"
#include "checks/shared_race/async_copies.hpp"
#include "checks/shared_race/detector.hpp"
#include "checks/shared_race/proxy_writes.hpp"
#include "checks/uninitialised/check.hpp"
#include "checks/uninitialised/pending_reads.hpp"
#include "machine/block_checks.hpp"
#include "machine/kernel_code.hpp"
#include "machine/shadow_execution.hpp"
#include "machine/step_recorder.hpp"
#include "order/touched_bytes.hpp"
#include "profile/access_counters.hpp"
#include "profile/footprint.hpp"

namespace warpgrade::emulator {

// The checks' state of one block's shared memory. The next block reuses it: its records need no clearing.
struct SharedMemoryChecks {
  explicit SharedMemoryChecks(RaceNeeds needs) : race(needs) {
    if (needs.proxies) proxies.emplace();
  }
  SharedRaceDetector race;
  std::optional<ProxyWrites> proxies;  // only if RaceNeeds::proxies is set
  SharedDefinedness init;
};

struct Observers::Impl {
  LaunchOptions options;
  RaceNeeds needs;
  std::unique_ptr<AccessCounters> counters;  // null if nothing is counted
  Trace trace;
  bool beyond_counters = false;
  std::vector<BlockFindings> finished;
  std::vector<std::unique_ptr<SharedMemoryChecks>> spare;
  OrderedCheck* global = nullptr;
  Footprints* footprints = nullptr;
  std::unique_ptr<TouchedRecorder> touched;                       // null if nothing is recorded
  const std::vector<SharedArrayBounds>* shared_bounds = nullptr;  // the array that each access must stay in
  std::uint32_t local_bytes =
      0;            // of a kernel's variables; 0 where it calls functions, as what they pass lies there
  int running = 0;  // blocks

  bool wants(Check check) const {
    switch (check) {
      case Check::memory:
        return options.check_memory;
      case Check::race:
        return options.check_race;
      case Check::init:
        return options.check_init;
      case Check::barrier:
        return options.check_barrier;
      default:
        return true;
    }
  }
};

namespace {

// State of the checks for one block. `shared` is null if its shared memory is not checked.
struct ObservedBlock : BlockDefinedness {
  using BlockDefinedness::BlockDefinedness;
  std::unique_ptr<SharedMemoryChecks> shared;
  std::unique_ptr<OrderedBlockCheck> global;
  std::unique_ptr<BlockFootprint> footprint;
  LocalDefinedness local;
  bool traced = false;

  ProxyWrites* proxies() const { return shared && shared->proxies ? &*shared->proxies : nullptr; }
};
ObservedBlock& observed(const Block& block) { return static_cast<ObservedBlock&>(checks_of(block)); }

bool is_complete(const SharedMemoryChecks& shared, const LaunchOptions& options) {
  return !options.check_init || shared.init.is_complete();
}

}  // namespace

Observers::Observers(const LaunchOptions& options, const Program& program) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  impl_->beyond_counters = wants_accesses();
  if (options.count) {
    impl_->counters = std::make_unique<AccessCounters>(program);
    rows = impl_->counters->rows();
  }
}
Observers::~Observers() = default;

bool Observers::wants_accesses() const {
  const LaunchOptions& o = impl_->options;
  return o.check_race || o.check_init || o.trace || o.record || o.touched != Recording::none;
}

void Observers::share(OrderedCheck* global) { impl_->global = global; }
void Observers::share(Footprints* footprints) { impl_->footprints = footprints; }
void Observers::share(TouchedBytes& touched) { impl_->touched = std::make_unique<TouchedRecorder>(touched); }
void Observers::prepare(const Code& code) {
  impl_->needs = code.race_needs;
  impl_->needs.proxies &= impl_->options.check_race;
  if (code.functions.size() == 1 && code.calls.empty()) impl_->local_bytes = code.functions[0].local_bytes;
  if (impl_->options.check_memory && !code.shared_array_bounds.empty())
    impl_->shared_bounds = &code.shared_array_bounds;
}

const SharedArrayBounds* Observers::shared_array(std::uint32_t instruction) const {
  const auto* bounds = impl_->shared_bounds;
  const bool is_known = bounds != nullptr && instruction < bounds->size() && (*bounds)[instruction].end != 0;
  return is_known ? &(*bounds)[instruction] : nullptr;
}

// Handlers may log reads of shared memory themselves where only the race check observes them.
void Observers::update_deferred_read_log(Block& block) {
  ObservedBlock& to = observed(block);
  const LaunchOptions& o = impl_->options;
  block.reads = nullptr;
  if (!to.shared || !o.check_race || impl_->counters || to.traced || block.recorder != nullptr ||
      !is_complete(*to.shared, o) || block.launch->kernel->reserved_shared != 0)
    return;
  block.reads = &to.shared->race.log();
  if (impl_->shared_bounds == nullptr) return;
  block.reads->bounds = impl_->shared_bounds->data();
  block.reads->bounds_count = static_cast<std::uint32_t>(impl_->shared_bounds->size());
}

void Observers::block_begin(Block& block) {
  Impl& m = *impl_;
  auto fresh = std::make_unique<ObservedBlock>(block.linear);
  // A worker with several blocks must not make one of them wait for another.
  if (m.global != nullptr) fresh->global = m.global->begin(block.linear, m.running == 0);
  ++m.running;
  if (m.footprints != nullptr && m.footprints->wants(block.linear))
    fresh->footprint = std::make_unique<BlockFootprint>();
  if (block.shared_bytes != 0 && (m.options.check_race || m.options.check_init)) {
    if (m.spare.empty()) m.spare.push_back(std::make_unique<SharedMemoryChecks>(m.needs));
    fresh->shared = std::move(m.spare.back());
    m.spare.pop_back();
    if (m.options.check_race) fresh->shared->race.block_begin(block);
    if (ProxyWrites* proxies = fresh->proxies()) proxies->block_begin(block);
    if (m.options.check_init) {
      fresh->shared->init.block_begin(block);
      fresh->written = &fresh->shared->init.writers();
    }
  }
  const Dim3 &here = block.index, &wanted = m.options.trace_block;
  fresh->traced = m.options.trace && here.x == wanted.x && here.y == wanted.y && here.z == wanted.z;
  block.only_counted = m.counters != nullptr && !m.beyond_counters && fresh->footprint == nullptr;
  block.checks = fresh.release();
  update_deferred_read_log(block);
}

// Whether the access is to the reserved part of shared memory. Cooperative groups keep their barriers there.
// Accesses to these barriers order other accesses and are not checked for races.
static bool is_reserved(const Access& access) {
  const std::uint32_t reserved = access.warp->block->launch->kernel->reserved_shared;
  return reserved != 0 && access.of(static_cast<unsigned>(std::countr_zero(access.mask))) < reserved;
}

// Must run before the other checks: it may throw ShadowRestart, and then the instruction runs again.
static void check_init(const Access& access, std::uint32_t local_bytes) {
  if (access.space == ptx::Space::shared)
    observed(*access.warp->block).shared->init.access(access);
  else if (access.space == ptx::Space::global)
    check_global_init(access);
  else if (access.space == ptx::Space::local && local_bytes != 0)
    observed(*access.warp->block).local.access(access, local_bytes);
}

void Observers::access(const Access& access) {
  Impl& m = *impl_;
  if (is_issue(access)) {
    if (m.options.check_race) observed(*access.warp->block).shared->race.access(access);
    return;
  }
  if (following != nullptr) following->access(access);
  if (m.options.check_init) check_init(access, m.local_bytes);
  if (m.counters) {
    m.counters->access(access);
    if (access.space == ptx::Space::global && access.kind == Access::Kind::atomic)
      ++access.warp->block->global_atomics;
    if (access.space == ptx::Space::global)
      if (BlockFootprint* footprint = observed(*access.warp->block).footprint.get())
        footprint->access(access);
  }
  if (!m.beyond_counters) return;
  if (m.options.trace && observed(*access.warp->block).traced) m.trace.access(access);
  if (m.options.record && access.warp->block->recorder != nullptr)
    access.warp->block->recorder->access(access);
  if (access.space == ptx::Space::shared) {
    if (m.shared_bounds != nullptr) check_shared_array_overflow(access, *m.shared_bounds);
    const bool flag = access.kind == Access::Kind::atomic || access.is_strong || access.is_volatile;
    if (flag && m.global != nullptr && m.needs.history) observed(*access.warp->block).global->access(access);
    SharedMemoryChecks* shared = observed(*access.warp->block).shared.get();
    if (m.options.check_race && !is_reserved(access)) shared->race.access(access);
  } else if (access.space == ptx::Space::global) {
    if (m.touched) m.touched->add(access);
    if (m.global != nullptr && m.global->matters(access))
      observed(*access.warp->block).global->access(access);
  }
  if (m.needs.proxies)
    if (ProxyWrites* proxies = observed(*access.warp->block).proxies()) proxies->access(access);
}

void Observers::copy_issued(const CopyIssue& copy) {
  if (impl_->counters) impl_->counters->copy_issued(copy);
}

void Observers::bulk_copy_issued(const BulkIssue& copy) {
  const bool fetches = copy.source_space == ptx::Space::global;
  if (impl_->counters) impl_->counters->bulk_copy_issued(copy.at, fetches ? copy.bytes : 0);
  if (const ProxyWrites* proxies = observed(*copy.warp->block).proxies()) proxies->copy_issued(copy);
}

void Observers::block_barrier(Block& block, const DecodedInstruction* at) {
  ObservedBlock& to = observed(block);
  if (to.traced && at != nullptr) impl_->trace.barrier(at->index);
  if (block.recorder != nullptr) block.recorder->barrier_opened();
  if (to.global) to.global->block_barrier();
  if (!to.shared) return;
  to.pending.block_barrier();
  if (impl_->options.check_race) to.shared->race.block_barrier();
  if (ProxyWrites* proxies = to.proxies()) proxies->block_barrier();
  to.raced_words.clear();
  update_deferred_read_log(block);
}

void Observers::arrival(const Warp& warp, std::uint32_t id) {
  ObservedBlock& to = observed(*warp.block);
  if (to.global) to.global->arrival(warp.index, id);
  if (to.shared && impl_->options.check_race) to.shared->race.arrival(warp.index, id);
  if (ProxyWrites* proxies = to.proxies()) proxies->arrival(warp.index, id);
}

void Observers::partial_barrier(Block& block, std::uint32_t id, const std::uint32_t* warp_masks) {
  ObservedBlock& to = observed(block);
  if (block.recorder != nullptr) block.recorder->barrier_opened();
  if (to.global) to.global->partial_barrier(id, warp_masks);
  if (to.shared && impl_->options.check_race) to.shared->race.partial_barrier(id, warp_masks);
  if (ProxyWrites* proxies = to.proxies()) proxies->partial_barrier(id, warp_masks);
}

void Observers::warp_barrier(const Warp& warp, std::uint32_t mask) {
  ObservedBlock& to = observed(*warp.block);
  // Exited lanes delay no barrier, and they do not order groups of lanes that synchronise separately.
  const std::uint32_t meeting = (mask | ~warp.alive) == kFullMask ? kFullMask : mask;
  if (to.global) to.global->warp_barrier(warp.index, meeting);
  if (to.shared && impl_->options.check_race) to.shared->race.warp_barrier(warp.index, meeting);
  if (ProxyWrites* proxies = to.proxies()) proxies->warp_barrier(warp.index, meeting);
}

void Observers::mbarrier_arrived(const MbarrierArrival& arrival) {
  ObservedBlock& to = observed(*arrival.warp->block);
  if (to.shared && impl_->options.check_race) to.shared->race.mbarrier_arrived(arrival);
}

void Observers::phase_completed(const Block& block, std::uint32_t offset) {
  ObservedBlock& to = observed(block);
  if (to.global) to.global->phase_completed(offset);
  if (to.shared && impl_->options.check_race) to.shared->race.phase_completed(offset);
  if (ProxyWrites* proxies = to.proxies()) proxies->phase_completed(offset);
}

void Observers::fence(const Warp& warp, ptx::Space scope) {
  ObservedBlock& to = observed(*warp.block);
  if (to.global) to.global->fence(warp.index, scope == ptx::Space::shared);
  if (to.shared && impl_->options.check_race) to.shared->race.fence(warp);
}

void Observers::proxy_fence(const Warp& warp) {
  if (ProxyWrites* proxies = observed(*warp.block).proxies()) proxies->fence(warp);
}

std::uint32_t Observers::unset_register(const Warp& warp, std::uint32_t reader) {
  return observed(*warp.block).pending.add_register(warp, reader);
}

void Observers::depend_on_read(Block& block, std::uint32_t read, std::uint32_t at) {
  observed(block).pending.used(read, at);
}

bool Observers::has_cut_word(Block& block, std::uint32_t read) const {
  return observed(block).pending.has_cut_word(read);
}

// If a branch leads lanes of the mask past the shuffle, that is reported instead (FindingKind::warp_mask).
std::uint32_t Observers::undefined_shuffle(const Warp& warp, Finding finding) {
  BlockDefinedness& to = observed(*warp.block);
  const std::uint32_t instruction = finding.site.instruction, lanes = warp.active;
  const bool known = to.again(FindingKind::undefined_shuffle, instruction) != nullptr;
  const LaunchOptions& o = impl_->options;
  if (known || !o.check_barrier || !o.check_init || to.has(FindingKind::warp_mask, instruction))
    return ShadowExecution::kNoRead;
  return to.pending.add({.access = {},
                         .warp = warp,
                         .instruction = instruction,
                         .lanes = lanes,
                         .shuffle = std::move(finding)});
}

void Observers::mark_undefined(Block& block, ptx::Space space, std::uint64_t address) {
  if (space == ptx::Space::global) mark_global_undefined(*block.memory, address);
  if (space != ptx::Space::shared) return;
  observed(block).shared->init.mark_undefined(address);
  block.reads = nullptr;
}

void Observers::block_end(Block& block) {
  const std::unique_ptr<ObservedBlock> ended(&observed(block));
  ended->pending.block_barrier();
  block.checks = nullptr;
  block.reads = nullptr;
  --impl_->running;
  if (ended->footprint) impl_->footprints->add(*ended->footprint, block.linear);
  if (ended->global) impl_->global->end(std::move(ended->global));
  if (ended->shared) impl_->spare.push_back(std::move(ended->shared));
  if (!ended->findings.empty()) impl_->finished.push_back({block.linear, std::move(ended->findings)});
}

void Observers::report(Block& block, Finding finding) {
  if (!impl_->wants(check_of(finding.kind))) return;
  BlockChecks& to = checks_of(block);
  if (to.again(finding.kind, finding.site.instruction) == nullptr) to.add(std::move(finding));
}

std::vector<Observers::BlockFindings> Observers::take_findings() {
  return std::exchange(impl_->finished, {});
}
std::vector<TraceEvent> Observers::take_trace() { return impl_->trace.take(); }
Counters Observers::take_counters() { return impl_->counters ? impl_->counters->take() : Counters{}; }

Dim3 thread_of(const Warp& warp, int lane) {
  return index_in(warp.block->launch->block, warp.index * kWarpSize + static_cast<std::uint32_t>(lane));
}

}  // namespace warpgrade::emulator
