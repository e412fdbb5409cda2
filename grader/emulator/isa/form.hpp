// How an instruction is looked up: a key that does not depend on the order of its modifiers.
#pragma once

#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace warpgrade::isa {

// "add.rn.f32" → opcode, modifiers in alphabetical order, then the types as written. What stands behind a
// space
// ("mov.b64 r, {a, b}") is kept.
std::string key_of(std::string_view form);

// The form of an instruction as the table spells it: with the operands' pattern where that decides the row
// (mov of vectors, min and max of three operands).
std::string form_of(const ptx::Instruction& instruction);

}  // namespace warpgrade::isa
