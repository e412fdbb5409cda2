#include "sched/register_frames.hpp"

#include <algorithm>
#include <cstring>

#include "machine/decode_context.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {
namespace {

void broadcast(std::byte* slot, ptx::Type type, std::uint64_t bits) {
  const std::size_t size = slot_bytes(type) / kWarpSize;
  if (type == ptx::Type::pred) {
    const std::uint32_t mask = bits ? kFullMask : 0;
    std::memcpy(slot, &mask, sizeof mask);
    return;
  }
  // A memcpy of a constant 4 or 8 bytes compiles to one instruction; of a variable size, to a call.
  const auto fill = [slot, size](auto value) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(slot + lane * size, &value, sizeof value);
  };
  if (size == 4) return fill(static_cast<std::uint32_t>(bits));
  if (size == 2) return fill(static_cast<std::uint16_t>(bits));
  fill(bits);
}

std::uint64_t parameter_value(const Block& block, const FrameLayout::ParameterSlot& parameter) {
  const std::byte* from = block.parameters + parameter.offset;
  if (parameter.address) return block.parameters_at + parameter.offset;
  std::uint64_t bits = 0;
  const auto size = static_cast<std::size_t>(ptx::size_in_bytes(parameter.loaded));
  std::memcpy(&bits, from, std::min<std::size_t>(size, 8));
  const bool is_signed = parameter.loaded == ptx::Type::s8 || parameter.loaded == ptx::Type::s16 ||
                         parameter.loaded == ptx::Type::s32;
  if (is_signed && bits >> (8 * size - 1)) bits |= ~0ull << 8 * size;
  return bits;
}

void fill_special(const Warp& warp, std::byte* frame, const FrameLayout::SpecialSlot& slot,
                  const LaunchFacts& facts) {
  const std::size_t size = slot_bytes(slot.type) / kWarpSize;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t bits = special_value(slot.special, warp, lane, facts);
    std::memcpy(frame + slot.slot + lane * size, &bits, std::min<std::size_t>(size, 8));
  }
}

}  // namespace

void fill_frame(const Warp& warp, std::byte* frame, const FrameLayout& layout, const LaunchFacts& facts) {
  if (!layout.image.empty())
    std::memcpy(frame + layout.image_begin, layout.image.data(), layout.image.size());
  for (const FrameLayout::SpecialSlot& slot : layout.specials) fill_special(warp, frame, slot, facts);
  for (const FrameLayout::ParameterSlot& parameter : layout.parameters) {
    broadcast(frame + parameter.slot, parameter.type, parameter_value(*warp.block, parameter));
  }
}

void fill_block_slots(const Warp& warp, std::byte* frame, const FrameLayout& layout,
                      const LaunchFacts& facts) {
  for (const FrameLayout::SpecialSlot& slot : layout.block_specials)
    broadcast(frame + slot.slot, slot.type, special_value(slot.special, warp, 0, facts));
  for (const auto& [slot, bytes] : layout.zeroed) std::memset(frame + slot, 0, bytes);
}

std::byte* deep_frame(Warp& warp, std::uint32_t depth, std::uint32_t function) {
  WarpState& state = state_of(warp);
  const Code& code = *state.run->code;
  const FrameLayout& layout = code.functions[function].frame;
  if (state.deep.size() < depth) state.deep.resize(depth);
  std::vector<WarpState::DeepFrame>& here = state.deep[depth - 1];
  if (here.empty()) here.resize(code.functions.size());
  WarpState::DeepFrame& deep = here[function];
  std::byte* frame = nullptr;
  if (!deep.bytes) {
    deep.bytes.reset(new std::byte[layout.bytes + 63]());
  }
  frame = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(deep.bytes.get()) + 63) &
                                       ~std::uintptr_t{63});
  if (deep.block == ~0ull) fill_frame(warp, frame, layout, state.run->facts);
  if (deep.block != warp.block->linear) {
    deep.block = warp.block->linear;
    fill_block_slots(warp, frame, layout, state.run->facts);
  }
  return frame;
}

namespace {

// The lanes of a warp stand at the kernel's first instruction: as one group, or each as its own if they run
// apart.
void start_warp(BlockRun& block, std::uint32_t number) {
  Warp& warp = block.warp[number];
  WarpState& state = block.state[number];
  const std::uint32_t left = block.threads - number * kWarpSize;
  warp.alive = warp.active = left >= kWarpSize ? kFullMask : (1u << left) - 1;
  warp.carry = 0;
  warp.frame = state.root.frame;
  state.groups = state.runnable = state.settled_below = 0;
  state.slice = kTimeSlice;
  state.steps = 0;
  std::fill(std::begin(state.alloca_top), std::end(state.alloca_top), 0u);
  state.root.references = 1;
  state.top = &state.root;
  state.free.clear();
  for (const auto& made : state.made) state.free.push_back(made.get());
  fill_block_slots(warp, warp.frame, block.code->functions[0].frame, block.facts);
  const DecodedInstruction* entry = state.code + block.code->functions[0].entry;
  const auto start = [&](std::uint32_t lanes) {
    state.group[state.groups++] = {entry, entry, &state.root, lanes, Group::State::runnable, false, 0};
    ++state.root.references;
  };
  if (block.scalar) {
    for (std::uint32_t left_lanes = warp.alive; left_lanes != 0; left_lanes &= left_lanes - 1)
      start(left_lanes & -left_lanes);
  } else {
    start(warp.alive);
  }
  state.runnable = state.groups;
  warp.active = 0;
}

}  // namespace

void start_warps(BlockRun& block) {
  block.alive_threads = block.threads;
  for (std::uint32_t number = 0; number < block.warps; ++number) start_warp(block, number);
  for (Barrier& barrier : block.barrier) {
    barrier.arrived = 0;
    barrier.first = nullptr;
    barrier.mixed = false;
  }
  block.open_barriers = 0;
  std::fill(block.passed.begin(), block.passed.end(), 0);
  block.any_passed = false;
  std::fill(block.skipped.begin(), block.skipped.end(), 0);
  block.steps = 0;
  block.executed = 0;
  block.global_atomics = 0;
  block.clock_reads = 0;
}

}  // namespace warpgrade::emulator
