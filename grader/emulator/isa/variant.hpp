// The variant of the lane code that this machine runs: one for each vector width.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "isa/tables.hpp"

namespace warpgrade::isa {

struct LaneVariant {
  const char* name;  // "v1", "v3", "v4"
  bool runs_here;    // the processor has its instructions
  std::vector<Rows> tables;
  const MatrixMath* matrix;
};

// All variants in this build, slowest first: those of WARPGRADE_LEVELS (grader/cmake/Warpgrade.cmake).
std::span<const LaneVariant> variants();

// The fastest one that runs here, or the one that the environment's WARPGRADE_LANES names.
// Throws std::runtime_error where that is unknown or cannot run here.
const LaneVariant& chosen_variant();

// The function of the chosen variant; `all` stands in the order of variants(). See WARPGRADE_CHOOSE_LANES.
template <class Function>
Function choose(std::initializer_list<Function> all) {
  return all.begin()[&chosen_variant() - variants().data()];
}

}  // namespace warpgrade::isa
