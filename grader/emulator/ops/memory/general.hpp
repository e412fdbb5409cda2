// The general implementation of loads and stores: every type, space and width. It defines what the faster
// ones (contiguous.hpp, affine.hpp) must compute, and alone reports faults. See docs/memory-access-paths.md.
#pragma once

#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Bytes of one element in memory, bytes of a lane's value in its register slot, and whether a narrow
// element is sign-extended (manual 9.7.9.8: operand sizes, relaxed type rules).
struct ElementShape {
  std::uint32_t bytes = 4;
  std::uint32_t register_bytes = 4;
  bool sign = false;
};

// Null if no such pair of widths exists in PTX (a register narrower than the element).
Handler general_load(ElementShape shape, bool observed);
Handler general_store(ElementShape shape, bool observed);
// ld.param of a kernel parameter by name: `immediate` is its offset in Block::parameters.
Handler parameter_load(ElementShape shape);

}  // namespace warpgrade::emulator
