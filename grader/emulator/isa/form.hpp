// The key by which the operation table finds lane-wise rows. It does not depend on the order of modifiers.
#pragma once

#include <string>
#include <string_view>

#include "ptx/tree/module.hpp"

namespace warpgrade::isa {

// The opcode, the modifiers in ascending order, then the types and number formats as written, and the pattern
// of the operands where it decides the row: mov of vectors, min and max of three operands.
using Key = std::u16string;
Key key_of(std::string_view form);  // key of a row: "add.rn.f32", "mov.b64 r, {a, b}"
Key key_of(const ptx::Instruction& instruction);

}  // namespace warpgrade::isa
