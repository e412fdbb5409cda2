#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

std::string at(TextPosition place, const std::string& message) {
  return "ptx:" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + message;
}

}  // namespace

ParseError::ParseError(TextPosition where, const std::string& message)
    : std::runtime_error(at(where, message)), place(where) {}

}  // namespace warpgrade::ptx
