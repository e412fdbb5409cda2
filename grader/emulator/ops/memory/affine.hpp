// Loads and stores through registers whose addresses have a known affine pattern
// (machine/address_pattern.hpp). docs/memory-access-paths.md says when they run.
#pragma once

#include "machine/address_pattern.hpp"

namespace warpgrade::emulator {

// Null where there is no handler for the access. The handler leaves to Instruction::body, the general one,
// whatever does not fit.
Handler shaped_access(const ShapedAccess& access, Watch watch);

// Handler that reads the register operand[0] and writes its pattern at operand[kShapeOperand]. `immediate`:
// the first two fields of an AccessRange; operand[kAlignmentOperand]: the third.
constexpr int kAlignmentOperand = 1;
Handler look_at_addresses(bool wide);

}  // namespace warpgrade::emulator
