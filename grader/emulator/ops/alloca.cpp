#include "ops/alloca.hpp"

#include <bit>

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

const DecodedInstruction* allocate_on_stack(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  const std::uint64_t* bytes = warp.lanes<std::uint64_t>(at->operand[1]);
  const std::uint64_t alignment = at->immediate;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t begin = (state.alloca_top[lane] + alignment - 1) / alignment * alignment;
    if (bytes[lane] > kAllocaBytes || begin + bytes[lane] > kAllocaBytes) {
      fail(warp,
           finding_at(warp, at, FindingKind::stack_overflow,
                      "alloca() asked for " + std::to_string(bytes[lane]) + " bytes; a thread has " +
                          std::to_string(kAllocaBytes) + ", of which " + std::to_string(begin) +
                          " are taken."),
           LaunchStatus::hardware_stack_error);
    }
    state.alloca_top[lane] = static_cast<std::uint32_t>(begin + bytes[lane]);
    to[lane] = warp.local_bytes - kAllocaBytes + begin;
  }
  return at + 1;
}

const DecodedInstruction* save_stack(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = state_of(warp).alloca_top[lane];
  return at + 1;
}

const DecodedInstruction* restore_stack(Warp& warp, const DecodedInstruction* at) {
  const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0)
      state_of(warp).alloca_top[lane] = static_cast<std::uint32_t>(from[lane]);
  return at + 1;
}

}  // namespace warpgrade::emulator
