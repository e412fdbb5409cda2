#include "ptx/tree/opcode.hpp"

#include <unordered_map>

namespace warpgrade::ptx {
namespace {

constexpr std::string_view kNames[] = {
    "",
#define OPCODE(name, text) text,
#include "ptx/tree/opcodes.def"
#undef OPCODE
};

}  // namespace

Opcode opcode_from_name(std::string_view name) {
  static const auto& kByName = *new const std::unordered_map<std::string_view, Opcode>{
#define OPCODE(name, text) {text, Opcode::name},
#include "ptx/tree/opcodes.def"
#undef OPCODE
  };
  const auto found = kByName.find(name);
  return found == kByName.end() ? Opcode::unknown : found->second;
}

std::string_view name_of(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

}  // namespace warpgrade::ptx
