#include "analysis/registers/constant_registers.hpp"

#include <algorithm>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "machine/decode_context.hpp"
#include "machine/special_registers.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using OperandKind = ptx::Operand::Kind;

class Search {
 public:
  explicit Search(const ptx::Function& function)
      : function_(function), writes_(function.registers.size(), 0) {
    found_.registers.resize(function.registers.size());
    found_.removed.assign(function.instructions.size(), false);
    for (const ptx::Instruction& instruction : function.instructions) {
      for (std::int32_t r : registers_used(instruction).written) ++writes_[static_cast<std::size_t>(r)];
    }
  }

  // Iterates: a copy that precedes its source in the text qualifies only in the next iteration.
  ConstantRegisters run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
        if (!found_.removed[i] && qualifies(function_.instructions[i])) changed = found_.removed[i] = true;
      }
    }
    return std::move(found_);
  }

 private:
  bool qualifies(const ptx::Instruction& instruction) {
    if (instruction.guard >= 0 || instruction.operands.size() != 2) return false;
    const ptx::Operand& to = instruction.operands[0];
    const ptx::Operand& from = instruction.operands[1];
    if (to.kind != OperandKind::reg || to.second >= 0 || writes_[static_cast<std::size_t>(to.reg)] != 1)
      return false;
    if (instruction.modifiers.empty()) return false;
    const ptx::Type type = instruction.type();
    if (type == ptx::Type::none) return false;
    if (instruction.opcode == Opcode::mov) return moves(to, from, type);
    if (instruction.opcode == Opcode::ld) return loads_parameter(instruction, to, from, type);
    if (instruction.opcode == Opcode::cvta) return converts_address(instruction, to, from);
    return false;
  }

  ptx::Type width(std::int32_t r) const {
    return slot_type(function_.registers[static_cast<std::size_t>(r)].type);
  }
  ConstantRegister& entry(std::int32_t r) { return found_.registers[static_cast<std::size_t>(r)]; }

  bool copies(const ptx::Operand& to, const ptx::Operand& from) {
    if (from.negated || !from.symbol.empty() || width(to.reg) != width(from.reg)) return false;
    if (entry(from.reg).kind == ConstantRegister::Kind::none) return false;
    entry(to.reg) = entry(from.reg);
    return true;
  }

  bool moves(const ptx::Operand& to, const ptx::Operand& from, ptx::Type type) {
    if (slot_type(type) != width(to.reg)) return false;
    if (from.kind == OperandKind::reg) return copies(to, from);
    if (from.kind == OperandKind::special) {
      const Special special = find_special(from.symbol);
      if (special == Special::unknown || changes_while_running(special)) return false;
      if (slot_type(type) != (is_64_bit(special) ? ptx::Type::b64 : ptx::Type::b32)) return false;
    } else if (from.kind == OperandKind::symbol) {
      if (!has_fixed_address(from.symbol)) return false;
    } else if (from.kind != OperandKind::integer && from.kind != OperandKind::real) {
      return false;
    }
    entry(to.reg) = {ConstantRegister::Kind::operand, &from, type};
    return true;
  }

  // The local variables of a function other than the kernel lie at an offset from the stack pointer.
  bool has_fixed_address(const std::string& name) const {
    if (function_.is_entry) return true;
    auto is_it = [&](const ptx::Variable& variable) {
      return variable.name == name && variable.space != ptx::Space::shared &&
             variable.space != ptx::Space::global;
    };
    return std::none_of(function_.variables.begin(), function_.variables.end(), is_it) &&
           std::none_of(function_.parameters.begin(), function_.parameters.end(), is_it) &&
           std::none_of(function_.results.begin(), function_.results.end(), is_it);
  }

  bool loads_parameter(const ptx::Instruction& instruction, const ptx::Operand& to, const ptx::Operand& from,
                       ptx::Type type) {
    if (!function_.is_entry || !instruction.has(Modifier::param) || instruction.modifiers.size() != 2)
      return false;
    if (from.kind != OperandKind::address || from.has_reg || type == ptx::Type::pred) return false;
    const bool own =
        std::any_of(function_.parameters.begin(), function_.parameters.end(), [&](const ptx::Variable& p) {
          return p.name == from.symbol && from.offset >= 0 &&
                 static_cast<std::size_t>(from.offset) + static_cast<std::size_t>(ptx::size_in_bytes(type)) <=
                     p.bytes;
        });
    if (!own || ptx::size_in_bytes(slot_type(type)) > ptx::size_in_bytes(width(to.reg))) return false;
    entry(to.reg) = {ConstantRegister::Kind::parameter, &from, type};
    return true;
  }

  // The generic address of a global variable equals its global address here.
  bool converts_address(const ptx::Instruction& instruction, const ptx::Operand& to,
                        const ptx::Operand& from) {
    if (!instruction.has(Modifier::global) || width(to.reg) != ptx::Type::b64) return false;
    return from.kind == OperandKind::reg ? copies(to, from) : false;
  }

  const ptx::Function& function_;
  std::vector<std::uint32_t> writes_;
  ConstantRegisters found_;
};

}  // namespace

ConstantRegisters find_constant_registers(const ptx::Function& function) { return Search(function).run(); }

}  // namespace warpgrade::emulator
