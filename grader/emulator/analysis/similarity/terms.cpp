#include "analysis/similarity/terms.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flow/def_use.hpp"

namespace warpgrade::emulator {
namespace {

using ptx::Opcode;
using Kind = ptx::Operand::Kind;

constexpr int kMainFile = 1;
constexpr std::size_t kMostOperands = 64;  // of an instruction; further ones do not count

// Both orders of the operands compute the same.
bool commutes(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::add:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::min:
    case Opcode::max:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
      return true;
    case Opcode::setp:
      return instruction.has_any({ptx::Modifier::eq, ptx::Modifier::ne});
    default:
      return false;
  }
}

// A copy is no term of its own: a term contains the value that was copied.
bool is_copy(const ptx::Instruction& instruction) {
  const std::string_view form = instruction.form();
  return instruction.opcode == Opcode::mov || instruction.opcode == Opcode::cvta || form == "cvt.u64.u32" ||
         form == "cvt.s64.s32";
}

// Every kernel has such instructions, so they say nothing about who wrote it.
bool is_common(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::bra:
    case Opcode::ret:
    case Opcode::mov:
    case Opcode::cvta:
      return true;
    case Opcode::ld:
      return instruction.space() == ptx::Space::param;
    default:
      return false;
  }
}

// "(add.f32 (ld.global.f32 r) n)" → "(add.f32  n)"
std::string without_nested(std::string_view term) {
  std::string kept;
  int depth = 0;
  for (const char c : term) {
    if (c == '(') ++depth;
    if (depth <= 1) kept += c;
    if (c == ')') --depth;
  }
  return kept;
}

// The term of the instruction that wrote a register last.
struct Maker {
  std::string shallow;  // without nested terms; empty: nothing has written the register
  std::uint64_t hash = 0;
};

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

class FunctionTerms {
 public:
  FunctionTerms(const ptx::Module& module, const ptx::Function& function, Terms& terms)
      : module_(module), makers_(function.registers.size()), terms_(terms) {}

  void add(const ptx::Instruction& instruction) {
    const bool has_result = writes_first_operand(instruction);
    std::vector<std::string> operands;
    for (std::size_t i = has_result ? 1 : 0; i < instruction.operands.size(); ++i)
      collect(instruction.operands[i], instruction, operands);
    if (commutes(instruction)) std::sort(operands.begin(), operands.end());
    const std::string term = is_copy(instruction) && operands.size() == 1
                                 ? operands[0]
                                 : "(" + instruction.form() + " " + joined(operands) + ")";
    const std::uint64_t hash = hash_of(term);
    if (!is_common(instruction)) terms_[guarded(hash, instruction, has_result)].insert(line(instruction));
    for (const std::int32_t written : registers_used(instruction).written)
      makers_[static_cast<std::size_t>(written)] = {without_nested(term), hash};
  }

 private:
  // Whether a store or a barrier is conditional is part of what it does.
  std::uint64_t guarded(std::uint64_t hash, const ptx::Instruction& instruction, bool has_result) const {
    if (has_result || instruction.guard < 0) return hash;
    const std::uint64_t condition = makers_[static_cast<std::size_t>(instruction.guard)].hash;
    return hash_of(std::to_string(hash) + "?" + std::to_string(condition));
  }

  void collect(const ptx::Operand& operand, const ptx::Instruction& instruction,
               std::vector<std::string>& into) const {
    if (into.size() >= kMostOperands) return;
    const bool is_list = operand.kind == Kind::vector || !operand.elements.empty();
    if (!is_list) {
      into.push_back(leaf(operand, instruction));
      return;
    }
    for (const ptx::Operand& element : operand.elements) collect(element, instruction, into);
  }

  std::string leaf(const ptx::Operand& operand, const ptx::Instruction& instruction) const {
    switch (operand.kind) {
      case Kind::reg:
        return made(operand.reg);
      case Kind::special:
        return operand.symbol;
      case Kind::integer:
      case Kind::real:
        return "n";
      case Kind::address:
        if (operand.has_reg) return made(operand.reg);
        break;
      default:
        break;
    }
    return instruction.space() == ptx::Space::param ? "p" : "s";
  }

  std::string made(std::int32_t index) const {
    if (index < 0) return "r";
    const Maker& maker = makers_[static_cast<std::size_t>(index)];
    return maker.shallow.empty() ? "r" : maker.shallow;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  int line(const ptx::Instruction& instruction) const {
    for (int at = instruction.location; at >= 0;) {
      const ptx::Location& location = module_.locations[static_cast<std::size_t>(at)];
      if (location.file == kMainFile) return location.line;
      at = location.inlined_at;
    }
    return 0;
  }

  const ptx::Module& module_;
  std::vector<Maker> makers_;
  Terms& terms_;
};

}  // namespace

Terms terms_of(const ptx::Module& module) {
  Terms terms;
  for (const ptx::Function& function : module.functions) {
    FunctionTerms of_function(module, function, terms);
    for (const ptx::Instruction& instruction : function.instructions) of_function.add(instruction);
  }
  return terms;
}

}  // namespace warpgrade::emulator
