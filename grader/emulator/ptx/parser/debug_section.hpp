// `.section .debug_…`: the strings that `.loc` directives refer to, and what says where variables are. Other
// sections are skipped.
#pragma once

#include "ptx/lexer/cursor.hpp"
#include "ptx/parser/locations.hpp"

namespace warpgrade::ptx {

// Parses what follows `.section`: name and body in braces. Keeps sections with variables in Module::debug.
void parse_section(Cursor& cursor, Locations& locations, Module& module);

}  // namespace warpgrade::ptx
