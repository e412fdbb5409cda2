// `.entry` and `.func` (PTX ISA, 11.1): head, performance directives, body.
#pragma once

#include <functional>
#include <string>

#include "ptx/lexer/cursor.hpp"
#include "ptx/parser/locations.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// The parts of the module that parsing a function needs.
struct FunctionContext {
  Locations& locations;
  std::function<bool(const std::string&)> known;  // a variable or function of the module has this name
  std::function<void(Variable)> hoist;            // takes .global and .const variables out of the body
};

// Parses what follows `.entry` or `.func`, up to the end of the body or the semicolon of a declaration.
Function parse_function(Cursor& cursor, bool is_entry, const FunctionContext& context);

// Parses what follows `.pragma`: strings and a semicolon. Outside of a body pragmas are ignored.
void skip_pragma(Cursor& cursor);

}  // namespace warpgrade::ptx
