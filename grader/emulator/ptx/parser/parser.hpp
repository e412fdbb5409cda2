// PTX text → syntax tree.
#pragma once

#include <string_view>

#include "ptx/tree/module.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {

// Throws ParseError. Never crashes, whatever the text; nesting and sizes are limited.
Module parse(std::string_view text);

}  // namespace warpgrade::ptx
