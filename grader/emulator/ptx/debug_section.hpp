// `.section .debug_…`: skipped, except for the strings that `.loc` directives refer to.
#pragma once

#include "ptx/cursor.hpp"
#include "ptx/locations.hpp"

namespace warpgrade::ptx {

// Parses what follows `.section`: name and body in braces.
void parse_section(Cursor& cursor, Locations& locations);

}  // namespace warpgrade::ptx
