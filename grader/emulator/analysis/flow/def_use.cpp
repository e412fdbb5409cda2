#include "analysis/flow/def_use.hpp"

#include <algorithm>
#include <string_view>

#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

void collect(const ptx::Operand& operand, std::vector<std::int32_t>& into) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::reg || (operand.kind == Kind::address && operand.has_reg)) {
    if (operand.reg >= 0) into.push_back(operand.reg);
  }
  if (operand.second >= 0) into.push_back(operand.second);  // `_|%p1` too
  for (const ptx::Operand& element : operand.elements) collect(element, into);
}

// Number of result operands of a call, 0 or 1: `call (results), callee, (arguments)` or `call callee,
// (arguments)`.
std::size_t results_of_call(const ptx::Instruction& call) {
  return !call.operands.empty() && call.operands[0].kind == ptx::Operand::Kind::vector ? 1 : 0;
}

}  // namespace

bool writes_first_operand(const ptx::Instruction& instruction) {
  return !isa::is(instruction, isa::Attribute::no_result);
}

RegistersUsed registers_used(const ptx::Instruction& instruction) {
  RegistersUsed used;
  if (instruction.guard >= 0) used.read.push_back(instruction.guard);
  const std::size_t results = instruction.opcode == Opcode::call  ? results_of_call(instruction)
                              : writes_first_operand(instruction) ? 1
                                                                  : 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    const bool address = operand.kind == ptx::Operand::Kind::address;
    collect(operand, i < results && !address ? used.written : used.read);
  }
  return used;
}

const ptx::Operand* address_operand(const ptx::Instruction& instruction) {
  const auto found =
      std::ranges::find(instruction.operands, ptx::Operand::Kind::address, &ptx::Operand::kind);
  return found == instruction.operands.end() ? nullptr : &*found;
}

}  // namespace warpgrade::emulator
