// PTX text → syntax tree.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

// What is wrong with a PTX text, and where: what() reads "ptx:12:7: …".
struct ParseError : std::runtime_error {
  TextPosition place;
  ParseError(TextPosition where, const std::string& message);
};

// Throws ParseError. Never crashes, whatever the text; nesting and sizes are limited.
Module parse(std::string_view text);

}  // namespace warpgrade::ptx
