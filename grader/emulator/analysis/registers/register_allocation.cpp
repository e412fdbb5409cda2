#include "analysis/registers/register_allocation.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "machine/decode_context.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

ptx::Type slot_type(ptx::Type type) {
  if (type == ptx::Type::pred || type == ptx::Type::none) return type;
  switch (ptx::size_in_bytes(type)) {
    case 1:
    case 2:
      return ptx::Type::b16;
    case 4:
      return ptx::Type::b32;
    case 8:
      return ptx::Type::b64;
    default:
      return ptx::Type::b128;
  }
}

std::uint32_t slot_bytes(ptx::Type type) {
  switch (slot_type(type)) {
    case ptx::Type::pred:
      return 4;
    case ptx::Type::b16:
      return 2 * kWarpSize;
    case ptx::Type::b32:
      return 4 * kWarpSize;
    case ptx::Type::b64:
      return 8 * kWarpSize;
    default:
      return 16 * kWarpSize;
  }
}

namespace {

// Assigns slots to the registers of one width and returns the number of slots.
std::uint32_t colour(std::vector<std::size_t>& registers, const std::vector<LiveInterval>& intervals,
                     std::vector<std::uint32_t>& number) {
  std::sort(registers.begin(), registers.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
  });
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // end of the interval, number of the slot
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> busy;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  std::uint32_t count = 0;
  for (std::size_t r : registers) {
    for (; !busy.empty() && busy.top().first < intervals[r].begin; busy.pop()) free.push(busy.top().second);
    if (free.empty()) free.push(count++);
    number[r] = free.top();
    free.pop();
    busy.push({intervals[r].end, number[r]});
  }
  return count;
}

}  // namespace

RegisterSlots assign_slots(const ptx::Function& function, const std::vector<LiveInterval>& intervals) {
  RegisterSlots slots;
  slots.slot.assign(function.registers.size(), kNoOperand);
  for (ptx::Type width : {ptx::Type::b32, ptx::Type::b64, ptx::Type::b16, ptx::Type::b128, ptx::Type::pred}) {
    std::vector<std::size_t> registers;
    for (std::size_t r = 0; r < intervals.size(); ++r) {
      if (intervals[r].occurs() && slot_type(function.registers[r].type) == width) registers.push_back(r);
    }
    const std::uint32_t count = colour(registers, intervals, slots.slot);
    for (std::size_t r : registers) {
      slots.slot[r] = slots.bytes + slots.slot[r] * slot_bytes(width);
      if (!intervals[r].before_entry) continue;
      slots.zeroed.push_back({slots.slot[r], slot_bytes(width)});
      slots.unset.push_back(static_cast<std::int32_t>(r));
    }
    slots.bytes += count * slot_bytes(width);
  }
  slots.bytes = (slots.bytes + 63) & ~63u;
  return slots;
}

}  // namespace warpgrade::emulator
