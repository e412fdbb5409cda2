#include "isa/form.hpp"

#include <algorithm>

namespace warpgrade::isa {

using ptx::Opcode;

namespace {

bool has_vector(const ptx::Instruction& instruction, std::size_t operand) {
  return instruction.operands.size() > operand &&
         instruction.operands[operand].kind == ptx::Operand::Kind::vector;
}

bool has_two_parts(const ptx::Operand& vector) { return vector.elements.size() == 2; }

// The operand pattern: the text after the space in the form of a row.
std::string_view pattern_of(const ptx::Instruction& instruction) {
  // mov.b32 {a, b}, r and, seen from old compilers, mov.u32 for the same: the vector forms exist for .b
  // types only.
  if (instruction.opcode == Opcode::mov && has_vector(instruction, 0))
    return has_two_parts(instruction.operands[0]) ? "{a, b}, r" : "{a, b, c, d}, r";
  if (instruction.opcode == Opcode::mov && has_vector(instruction, 1))
    return has_two_parts(instruction.operands[1]) ? "r, {a, b}" : "r, {a, b, c, d}";
  const bool extremum = instruction.opcode == Opcode::min || instruction.opcode == Opcode::max;
  return extremum && instruction.operands.size() == 4 ? "d, a, b, c" : "";
}

Key make_key(const ptx::Instruction& instruction, std::string_view pattern) {
  Key key(1, static_cast<char16_t>(instruction.opcode));
  for (const ptx::Modifier each : instruction.modifiers)
    if (!ptx::is_number_format(each)) key.push_back(static_cast<char16_t>(each));
  std::sort(key.begin() + 1, key.end());
  for (const ptx::Modifier each : instruction.modifiers)
    if (ptx::is_number_format(each)) key.push_back(static_cast<char16_t>(each));
  for (const char each : pattern) key.push_back(static_cast<char16_t>(each));
  return key;
}

}  // namespace

Key key_of(std::string_view form) {
  const std::size_t space = std::min(form.find(' '), form.size());
  ptx::Instruction instruction;
  instruction.set_form(std::string(form.substr(0, space)));
  return make_key(instruction, form.substr(std::min(space + 1, form.size())));
}

Key key_of(const ptx::Instruction& instruction) { return make_key(instruction, pattern_of(instruction)); }

}  // namespace warpgrade::isa
