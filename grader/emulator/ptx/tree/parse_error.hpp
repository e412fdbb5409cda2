// The error for a PTX text, or a module of it, that violates the PTX ISA.
#pragma once

#include <stdexcept>
#include <string>

#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// What is wrong, and where: what() reads "ptx:12:7: …".
struct ParseError : std::runtime_error {
  TextPosition place;
  ParseError(TextPosition where, const std::string& message);
};

}  // namespace warpgrade::ptx
