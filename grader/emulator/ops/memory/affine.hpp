// Loads and stores through registers whose addresses have a known affine pattern
// (machine/address_pattern.hpp). docs/memory-access-paths.md says when they run.
#pragma once

#include "machine/address_pattern.hpp"

namespace warpgrade::emulator {

// Null if the access has no affine handler. The handler calls DecodedInstruction::body (the contiguous or
// general handler) if the warp is not full, the pattern is unknown, or the bounds do not hold.
Handler affine_access_handler(const AffineAccess& access, Observation observation);

// Handler that reads the register operand[0] and writes its pattern at operand[kPatternOperand]. `immediate`:
// the first two fields of an AccessRange; operand[kAlignmentOperand]: the third.
constexpr int kAlignmentOperand = 1;
Handler address_pattern_handler(bool wide);

}  // namespace warpgrade::emulator
