// The live interval of each virtual register, in the order of the text.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow/control_flow.hpp"

namespace warpgrade::emulator {

// Positions count half steps: instruction i reads at 2i and writes at 2i + 1.
struct LiveInterval {
  static constexpr std::uint32_t kNever = 0xffffffffu;
  std::uint32_t begin = kNever, end = 0;  // both included; begin = kNever: the register does not occur
  bool before_entry = false;              // some path reads it before it writes it
  bool occurs() const { return begin != kNever; }
  void include(std::uint32_t point) {
    if (begin == kNever || point < begin) begin = point;
    if (point > end) end = point;
  }
};

// Indexed by register. A guarded write does not end the live range of the previous value. `ignored` registers
// get no interval, since they have no slot (see constant_registers.hpp).
std::vector<LiveInterval> find_live_intervals(const ptx::Function& function, const ControlFlow& flow,
                                              const std::vector<bool>& ignored);

// The highest number of 32-bit registers that are live at once; a 64-bit register counts twice, a predicate
// not at all.
int register_pressure(const ptx::Function& function, const std::vector<LiveInterval>& intervals);

}  // namespace warpgrade::emulator
