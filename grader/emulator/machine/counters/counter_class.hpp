// Kinds of instructions that are counted apart.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

// What an execution counts as.
enum class CounterClass : std::uint8_t {
  other,
  integer,
  logic,
  conversion,
  compare,
  move,
  ffma,
  fadd,
  fmul,
  float_other,
  special_function,
  double_precision,
  half,
  tensor,
  memory,
  atomic,
  control,
  barrier,
  warp_collective,
};

}  // namespace warpgrade::emulator
