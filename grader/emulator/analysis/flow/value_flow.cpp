#include "analysis/flow/value_flow.hpp"

#include <algorithm>

#include "analysis/flow/def_use.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
using Kind = ptx::Operand::Kind;

static bool converts_integer(const ptx::Instruction& i) {
  return i.opcode == Opcode::cvt && i.modifiers.size() == 2 &&
         ptx::is_integer(ptx::type_of(i.modifiers[0])) && ptx::is_integer(i.type());
}

ValueFlow::ValueFlow(const ptx::Function& function)
    : function_(function), values_(function.registers.size()) {
  for (const ptx::Instruction& i : function.instructions) steps_.push_back(step(i));
  writers_.resize(values_), readers_.resize(values_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const std::int32_t value : steps_[i].written) writers_[at(value)].push_back(i);
    for (const std::int32_t value : steps_[i].read) readers_[at(value)].push_back(i);
  }
}

bool ValueFlow::is_stack(std::int32_t reg) const {
  const std::string& name = function_.registers[at(reg)].name;
  return name == "%SP" || name == "%SPL";
}

std::int32_t ValueFlow::number(const std::string& symbol, std::int64_t offset) {
  const auto [found, fresh] = variables_.try_emplace({symbol, offset}, static_cast<std::int32_t>(values_));
  values_ += fresh;
  return found->second;
}

// Number of the variable that a load or store accesses: on the stack, or a parameter of a call.
std::optional<std::int32_t> ValueFlow::variable(const ptx::Instruction& i, std::size_t place) {
  if (i.operands.size() <= place) return {};
  const ptx::Operand& operand = i.operands[place];
  if (operand.kind != Kind::address || !operand.elements.empty()) return {};
  if (operand.has_reg && is_stack(operand.reg)) return number("", operand.offset);
  const auto is_this = [&](const ptx::Variable& result) { return result.name == operand.symbol; };
  if (operand.has_reg || !i.has(Modifier::param) ||
      std::any_of(function_.results.begin(), function_.results.end(), is_this))
    return {};
  return number(operand.symbol, operand.offset);
}

ValueFlow::Step ValueFlow::step(const ptx::Instruction& i) {
  RegistersUsed used = registers_used(i);
  Step out{std::move(used.read), std::move(used.written), i.opcode == Opcode::mov || converts_integer(i)};
  if (i.opcode == Opcode::call)
    for (const ptx::Operand& list : i.operands)
      for (const ptx::Operand& passed : list.elements) {
        const bool result = &list == i.operands.data() && i.operands[0].kind == Kind::vector;
        if (passed.kind == Kind::symbol)
          (result ? out.written : out.read).push_back(number(passed.symbol, 0));
      }
  const bool load = i.opcode == Opcode::ld, store = i.opcode == Opcode::st;
  if (!load && !store) return out;
  if (const auto held = variable(i, load ? 1 : 0)) {
    (load ? out.read : out.written).push_back(*held);
    out.copies = true;
  }
  return out;
}

}  // namespace warpgrade::emulator
