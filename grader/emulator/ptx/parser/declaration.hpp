// Declarations of variables: state space, alignment, type, name, dimensions, initial value
// (PTX ISA, chapter 5).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ptx/lexer/cursor.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// Space of `.global`, `.shared`, `.const`, `.local`, `.param`, `.reg`; none for another directive.
Space space_from_directive(std::string_view name);

// What precedes the names: `.align 4 .b8`, `.v4 .f32`, `.attribute(.managed) .u32`.
struct DeclarationHead {
  Space space = Space::none;
  Type type = Type::none;
  std::size_t alignment = 0;  // 0: the type's own
  std::size_t vector = 1;     // 2 or 4 for .v2 and .v4
  bool managed = false;
};
DeclarationHead parse_head(Cursor& cursor, Space space);

// Parses what follows `.attribute`: `(.managed)`, `(.unified(a, b))`. True if it contains .managed; the
// others are ignored.
bool parse_attribute(Cursor& cursor);

// One name with its dimensions and, where the space allows one, its initial value.
Variable parse_declarator(Cursor& cursor, const DeclarationHead& head);

// `head name, name[4], …;` — calls `take` with each variable.
void parse_variables(Cursor& cursor, Space space, const std::function<void(Variable)>& take);

// Parameters of a function or prototype, parentheses included. Names are as written.
std::vector<Variable> parse_parameters(Cursor& cursor);

// Product of the dimensions and the element's size; throws ParseError where it is too large.
std::size_t total_bytes(Type type, const std::vector<std::size_t>& sizes, TextPosition place);

}  // namespace warpgrade::ptx
