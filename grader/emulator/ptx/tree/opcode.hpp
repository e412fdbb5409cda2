// The opcodes of PTX as numbers: the parser interns them.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgrade::ptx {

enum class Opcode : std::uint16_t {
  unknown,
#define OPCODE(name, text) name,
#include "ptx/tree/opcodes.def"
#undef OPCODE
  kCount
};

Opcode opcode_from_name(std::string_view name);  // unknown where it is not in opcodes.def
std::string_view name_of(Opcode opcode);         // empty for unknown

}  // namespace warpgrade::ptx
