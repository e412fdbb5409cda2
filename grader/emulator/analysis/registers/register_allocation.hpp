// Assigns virtual registers to slots of a frame, so few that the frame stays in the first-level cache.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/registers/liveness.hpp"

namespace warpgrade::emulator {

struct RegisterSlots {
  std::vector<std::uint32_t>
      slot;                 // indexed by register: byte offset in the frame, kNoOperand if it has none
  std::uint32_t bytes = 0;  // bytes of all slots, a multiple of 64
  // Slots of registers that some path may read before it writes them; zeroed, so that all runs give the same
  // results.
  struct SlotRange {
    std::uint32_t slot = 0, bytes = 0;
  };
  std::vector<SlotRange> zeroed;
  std::vector<std::int32_t> unset;  // the registers that these slots are of
};

// Linear-scan allocation. Only registers of the same width share a slot: a handler may still read one lane
// after it has written another, so slots must not overlap in part.
RegisterSlots assign_slots(const ptx::Function& function, const std::vector<LiveInterval>& intervals);

}  // namespace warpgrade::emulator
