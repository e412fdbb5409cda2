#include "isa/form.hpp"

#include <algorithm>
#include <vector>

namespace warpgrade::isa {
namespace {

// Types in the widest sense: words of a form whose order has a meaning.
bool is_type(std::string_view word) {
  if (word.size() < 2) return word.empty();
  const std::string_view starts[] = {"bf16", "tf32", "e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "ue8m0", "pred"};
  for (const auto start : starts) {
    if (word.starts_with(start)) return true;
  }
  const bool letter = word[0] == 'b' || word[0] == 'u' || word[0] == 's' || word[0] == 'f';
  return letter && word[1] >= '1' && word[1] <= '9' && word != "f4e" && word != "b4e";
}

bool has_vector(const ptx::Instruction& instruction, std::size_t operand) {
  return instruction.operands.size() > operand &&
         instruction.operands[operand].kind == ptx::Operand::Kind::vector;
}

const char* parts(const ptx::Operand& vector) {
  return vector.elements.size() == 2 ? "{a, b}" : "{a, b, c, d}";
}

}  // namespace

std::string key_of(std::string_view form) {
  const std::size_t space = std::min(form.find(' '), form.size());
  const std::string_view pattern = form.substr(space);
  form = form.substr(0, space);
  std::string key;
  std::vector<std::string_view> modifiers, types;
  for (bool first = true; !form.empty(); first = false) {
    const std::size_t end = std::min(form.find('.'), form.size());
    const std::string_view word = form.substr(0, end);
    if (first)
      key = word;
    else
      (is_type(word) ? types : modifiers).push_back(word);
    form.remove_prefix(std::min(end + 1, form.size()));
  }
  std::sort(modifiers.begin(), modifiers.end());
  for (const auto word : modifiers) key.append(".").append(word);
  for (const auto word : types) key.append(".").append(word);
  return key.append(pattern);
}

std::string form_of(const ptx::Instruction& instruction) {
  std::string form = instruction.form();
  if (instruction.opcode == "mov") {
    // mov.b32 {a, b}, r and, seen from old compilers, mov.u32 for the same: the vector forms exist for .b
    // types only.
    if (has_vector(instruction, 0)) return form + " " + parts(instruction.operands[0]) + ", r";
    if (has_vector(instruction, 1)) return form + " r, " + parts(instruction.operands[1]);
  }
  const bool extremum = instruction.opcode == "min" || instruction.opcode == "max";
  if (extremum && instruction.operands.size() == 4) form += " d, a, b, c";
  return form;
}

}  // namespace warpgrade::isa
