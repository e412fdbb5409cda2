// Constant expressions (PTX ISA, 4.5 "Constants"): folded by the parser.
#pragma once

#include <cstdint>

#include "ptx/lexer/cursor.hpp"

namespace warpgrade::ptx {

struct Constant {
  bool is_real = false;
  bool is_unsigned = false;  // integer: a literal with U, or one that needs 64 bits, is in it
  int width = 64;            // real: 32 for a lone 0f literal
  std::uint64_t bits = 0;    // integer: two's complement; real: the bits of a float or a double
};

// True if a constant expression can begin; a `!` in front of a register is not one.
bool starts_constant(const Token& token);

// Throws ParseError; nesting is limited.
Constant parse_constant(Cursor& cursor);

// As parse_constant, where the caller has consumed the first number.
Constant continue_constant(Cursor& cursor, const Constant& first);

// An integer constant as a signed offset.
std::int64_t parse_offset(Cursor& cursor);

}  // namespace warpgrade::ptx
