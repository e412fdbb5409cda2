// Decodes the operands of lane-wise instructions into slots.
#pragma once

#include <vector>

#include "isa/operation.hpp"
#include "machine/decode_context.hpp"

namespace warpgrade::isa {

// Bytes of one lane of a register of this type; 0 for a predicate, whose lanes are bits.
int lane_bytes(ptx::Type type);

// The operands in the order of Operation::operands: a vector gives one for each element, and setp (and lop3
// with a predicate) have the register after the bar as their second, null if there is none.
std::vector<const ptx::Operand*> flatten(const ptx::Instruction& instruction);

// Completes `to` except for its guard and index, for a row of Shape::lanewise. Calls context.unsupported()
// where the operands do not fit the row.
void decode_operands(const ptx::Instruction& from, const Operation& operation,
                     emulator::DecodeContext& context, emulator::DecodedInstruction& to);

}  // namespace warpgrade::isa
