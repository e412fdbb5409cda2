// `.entry` and `.func` (PTX manual, 11.1): head, performance directives, body.
#pragma once

#include <functional>
#include <string>

#include "ptx/cursor.hpp"
#include "ptx/locations.hpp"
#include "ptx/module.hpp"

namespace warpgrade::ptx {

// What a function needs of the module around it.
struct FunctionContext {
  Locations& locations;
  std::function<bool(const std::string&)> known;  // a variable or function of the module has this name
  std::function<void(Variable)> hoist;            // takes .global and .const variables out of the body
};

// Behind `.entry` or `.func`, up to the end of the body or the semicolon of a declaration.
Function parse_function(Cursor& cursor, bool is_entry, const FunctionContext& context);

// Behind `.pragma`: strings and a semicolon. Outside a body none of them means anything to us.
void skip_pragma(Cursor& cursor);

}  // namespace warpgrade::ptx
