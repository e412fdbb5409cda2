#include "analysis/block_order_dependence.hpp"

#include <algorithm>
#include <string_view>

#include "analysis/def_use.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {
namespace {

bool commutes(const ptx::Instruction& atomic) {
  static constexpr std::string_view kCommutative[] = {"add", "min", "max", "and", "or", "xor"};
  const bool known = std::any_of(std::begin(kCommutative), std::end(kCommutative),
                                 [&](std::string_view op) { return has_modifier(atomic, op.data()); });
  if (!known || atomic.modifiers.empty()) return false;
  const std::string& type = atomic.modifiers.back();
  return type[0] == 'u' || type[0] == 's' || type[0] == 'b';
}

std::vector<bool> find_read_registers(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size(), false);
  for (const ptx::Instruction& instruction : function.instructions) {
    for (std::int32_t r : registers_used(instruction).read) read[static_cast<std::size_t>(r)] = true;
  }
  return read;
}

bool sees_other_blocks(const ptx::Instruction& instruction, const std::vector<bool>& read) {
  const std::string& op = instruction.opcode;
  if (op == "call") {
    const std::string name = called_name(instruction);
    return name == "malloc" || name == "free";
  }
  if (stays_in_block(instruction)) return false;
  if (op == "red") return !commutes(instruction);
  if (op == "atom") {
    const RegistersUsed used = registers_used(instruction);
    return !commutes(instruction) ||
           std::any_of(used.written.begin(), used.written.end(),
                       [&](std::int32_t r) { return read[static_cast<std::size_t>(r)]; });
  }
  if (op != "ld") return false;
  for (const char* word : {"volatile", "relaxed", "acquire", "mmio"}) {
    if (has_modifier(instruction, word)) return true;
  }
  return false;
}

}  // namespace

bool stays_in_block(const ptx::Instruction& instruction) {
  return has_modifier(instruction, "shared") || has_modifier(instruction, "shared::cta") ||
         has_modifier(instruction, "local") || has_modifier(instruction, "param");
}

bool order_matters(const Code& code) {
  for (const CodeFunction& function : code.functions) {
    const std::vector<bool> read = find_read_registers(*function.source);
    for (const ptx::Instruction& instruction : function.source->instructions) {
      if (sees_other_blocks(instruction, read)) return true;
    }
  }
  return false;
}

}  // namespace warpgrade::emulator
