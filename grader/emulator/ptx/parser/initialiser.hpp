// The initial value after the `=` of a variable (PTX ISA, 5.4.4 "Initializers").
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/lexer/cursor.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// Reads a value or a braced list into `variable.initial` and `variable.relocations`. `sizes` are the
// dimensions, outermost first, a vector type's width as the last; a first one of 0 (written `[]`)
// becomes what the list holds. Sets `variable.bytes`.
void parse_initialiser(Cursor& cursor, std::vector<std::size_t> sizes, Variable& variable);

}  // namespace warpgrade::ptx
