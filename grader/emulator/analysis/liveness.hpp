// From where to where in the text each virtual register holds a value that may still be read.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// In half steps: instruction i reads at 2i and writes at 2i + 1.
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

// By register. Blocks are taken in the order of the text. A guarded write does not end the life of the value
// before it. `ignored` registers are left out: they live elsewhere (see constant_registers).
std::vector<LiveInterval> find_live_intervals(const ptx::Function& function, const ControlFlow& flow,
                                              const std::vector<bool>& ignored);

// Highest number of 32-bit registers (64-bit ones count twice, predicates not) that live at once.
int register_pressure(const ptx::Function& function, const std::vector<LiveInterval>& intervals);

}  // namespace warpgrade::emulator
