#include "sched/block_context.hpp"

#include <cstring>
#include <vector>

#include "machine/launch.hpp"
#include "machine/memory/device_memory.hpp"
#include "machine/memory/local_window.hpp"
#include "machine/observers.hpp"
#include "sched/register_frames.hpp"

namespace warpgrade::emulator {
namespace {

std::size_t round_up(std::size_t bytes) { return (bytes + 127) & ~std::size_t{127}; }

// Memory of a destroyed context, kept for the next launch on this thread. Destructors of the program may
// launch when the thread's objects are gone.
thread_local bool has_spare = true;
struct Spare {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { has_spare = false; }
};
thread_local Spare spare;

std::unique_ptr<std::byte[]> take_memory(std::size_t& size) {
  if (has_spare && spare.size >= size) {
    size = spare.size;
    spare.size = 0;
    return std::move(spare.bytes);
  }
  return std::unique_ptr<std::byte[]>(new std::byte[size]);  // not zeroed: pages come when touched
}

// What all blocks of the launch have in common.
void take_setting(BlockRun& run, const LaunchSetting& setting) {
  run.launch = setting.request;
  run.program = setting.request->kernel->program;
  run.memory = setting.memory;
  run.parameters = setting.parameters;
  run.parameters_at = setting.parameters_at;
  run.shared_bytes = setting.shared_bytes;
  run.code = setting.code;
  run.facts = setting.facts;
  run.lowest_failed = setting.lowest_failed;
  run.interrupt = setting.interrupt;
  run.step_limit = setting.step_limit;
  run.scalar = setting.scalar;
  run.in_turns = setting.in_turns;
  run.check_barrier = setting.check_barrier;
  run.check_init = setting.check_init;
  run.shadow = setting.shadow;
  run.locks = setting.locks;
}

}  // namespace

BlockContext::BlockContext(const LaunchSetting& setting, Observers& observers, InstructionCounts* counts)
    : setting_(setting) {
  const Code& code = *setting.code;
  const std::size_t threads = setting.request->block.count();
  const std::size_t warps = (threads + kWarpSize - 1) / kWarpSize;
  const FrameLayout& layout = code.functions[0].frame;
  const std::size_t frame = round_up(layout.bytes), shared = round_up(setting.shared_bytes);
  const std::size_t local = round_up(std::size_t{code.local_bytes} * kWarpSize);
  memory_bytes_ = 128 + warps * (frame + local) + shared;
  memory_ = take_memory(memory_bytes_);
  auto* at = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(memory_.get())));
  take_setting(run_, setting);
  run_.observers = &observers;
  run_.output = &output_;
  run_.shared = at;
  run_.warps = static_cast<std::uint32_t>(warps);
  run_.threads = static_cast<std::uint32_t>(threads);
  run_.counts = counts;
  run_.warp.resize(warps);
  run_.state.resize(warps);
  for (Barrier& barrier : run_.barrier) barrier.masks.assign(warps, 0);
  run_.passed.assign(code.watched.size() * warps, 0);
  run_.skipped.assign(code.skipping.size() * warps, 0);
  at += shared;
  for (std::uint32_t w = 0; w < warps; ++w, at += frame + local) {
    Warp& warp = run_.warp[w];
    WarpState& state = run_.state[w];
    warp.index = w;
    warp.block = &run_;
    warp.state = &state;
    warp.local = at + frame;
    warp.local_bytes = code.local_bytes;
    warp.rows = observers.rows;
    state.run = &run_;
    state.code = code.instructions.data();
    state.root.frame = at;
    fill_frame(warp, at, layout, run_.facts);
  }
}

BlockContext::~BlockContext() {
  if (!has_spare || spare.size >= memory_bytes_) return;
  spare.bytes = std::move(memory_);
  spare.size = memory_bytes_;
}

void BlockContext::start(std::uint64_t linear) {
  run_.linear = linear;
  run_.index = index_in(setting_.request->grid, linear);
  run_.checks = nullptr;
  run_.recorder = nullptr;
  run_.stalls = 0;
  run_.copies.reset();
  run_.undefined.reset();
  output_.clear();
  std::memset(run_.shared, kUnwrittenByte, run_.shared_bytes);
  std::memset(run_.shared, 0, run_.launch->kernel->reserved_shared);
  for (Warp& warp : run_.warp)
    warp.local_window = local_window(run_.facts.grid_id, linear, warp.index * kWarpSize);
  const std::size_t own = run_.code->functions[0].local_bytes;
  if (own > 0) {
    for (Warp& warp : run_.warp) {
      for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        std::memset(warp.local + lane * warp.local_bytes, kUnwrittenByte, own);
    }
  }
  start_warps(run_);
}

}  // namespace warpgrade::emulator
