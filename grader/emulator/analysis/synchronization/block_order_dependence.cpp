#include "analysis/synchronization/block_order_dependence.hpp"

#include <algorithm>
#include <string_view>

#include "analysis/flow/def_use.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

bool commutes(const ptx::Instruction& atomic) {
  const bool known = atomic.has_any(
      {Modifier::add, Modifier::min, Modifier::max, Modifier::and_, Modifier::or_, Modifier::xor_});
  return known && ptx::is_integer_or_bits(atomic.type());
}

std::vector<bool> find_read_registers(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size(), false);
  for (const ptx::Instruction& instruction : function.instructions) {
    for (std::int32_t r : registers_used(instruction).read) read[static_cast<std::size_t>(r)] = true;
  }
  return read;
}

bool sees_other_blocks(const ptx::Instruction& instruction, const std::vector<bool>& read) {
  const Opcode op = instruction.opcode;
  if (op == Opcode::call) {
    const std::string name = called_name(instruction);
    return name == "malloc" || name == "free";
  }
  if (stays_in_block(instruction)) return false;
  if (op == Opcode::red) return !commutes(instruction);
  if (op == Opcode::atom) {
    const RegistersUsed used = registers_used(instruction);
    return !commutes(instruction) ||
           std::any_of(used.written.begin(), used.written.end(),
                       [&](std::int32_t r) { return read[static_cast<std::size_t>(r)]; });
  }
  return op == Opcode::ld && instruction.is_strong();
}

}  // namespace

bool stays_in_block(const ptx::Instruction& instruction) {
  const ptx::Space space = instruction.space();
  return space == ptx::Space::shared || space == ptx::Space::local || space == ptx::Space::param;
}

bool depends_on_block_order(const Code& code) {
  for (const CodeFunction& function : code.functions) {
    const std::vector<bool> read = find_read_registers(*function.source);
    for (const ptx::Instruction& instruction : function.source->instructions) {
      if (sees_other_blocks(instruction, read)) return true;
    }
  }
  return false;
}

}  // namespace warpgrade::emulator
