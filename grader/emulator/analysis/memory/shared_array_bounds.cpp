#include "analysis/memory/shared_array_bounds.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "analysis/flow/def_use.hpp"
#include "isa/attribute.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

using OperandKind = ptx::Operand::Kind;

// The shared array that an address points into: its index, kNone, or kMixed for more than one.
using Base = std::int32_t;
constexpr Base kNone = -1, kMixed = -2;

Base both(Base a, Base b) { return a == kNone || a == b ? b : b == kNone ? a : kMixed; }

class Search {
 public:
  Search(const ptx::Function& function, const std::unordered_map<std::string_view, Base>& arrays)
      : function_(function), arrays_(arrays), base_(function.registers.size(), kNone) {}

  // Joins the bases of all definitions of each register, and iterates until nothing changes (loops).
  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& instruction : function_.instructions)
        for (std::int32_t r : registers_used(instruction).written) {
          Base& known = base_[static_cast<std::size_t>(r)];
          const Base now = both(known, defined_by(instruction));
          changed |= now != known;
          known = now;
        }
    }
  }

  // The array that a load, store or atomic accesses; kNone where it is not known to be one array.
  Base accessed(const ptx::Instruction& instruction) const {
    using enum isa::Attribute;
    if (!isa::is_any(instruction, load | store | atomic)) return kNone;
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == OperandKind::address)
        return operand.has_reg ? base_[static_cast<std::size_t>(operand.reg)] : array(operand.symbol);
    return kNone;
  }

 private:
  Base array(const std::string& name) const {
    const auto found = arrays_.find(name);
    return found == arrays_.end() ? kNone : found->second;
  }

  Base of(const ptx::Operand& operand) const {
    if (operand.kind == OperandKind::reg) return base_[static_cast<std::size_t>(operand.reg)];
    return operand.kind == OperandKind::symbol ? array(operand.symbol) : kNone;
  }
  // kNone where the instruction lacks the operand.
  Base of(const ptx::Instruction& i, std::size_t operand) const {
    return operand < i.operands.size() ? of(i.operands[operand]) : kNone;
  }

  Base defined_by(const ptx::Instruction& i) const {
    const Opcode op = i.opcode;
    // A loaded value, a call's result or another lane's value is no address that this function computes.
    using enum isa::Attribute;
    if (isa::is_any(i, load | atomic | exchange) || op == Opcode::call || op == Opcode::setp) return kNone;
    Base all = kNone;
    for (std::size_t o = 1; o < i.operands.size(); ++o) all = both(all, of(i.operands[o]));
    if (all == kNone) return kNone;
    const bool keeps = op == Opcode::mov || op == Opcode::cvta || op == Opcode::add || op == Opcode::cvt ||
                       op == Opcode::selp;
    if (keeps && (op != Opcode::add || !twice(i))) return all;
    if (op == Opcode::sub && of(i, 2) == kNone) return all;
    if ((op == Opcode::mad || op == Opcode::fma) && of(i, 1) == kNone && of(i, 2) == kNone) return all;
    return kMixed;
  }

  bool twice(const ptx::Instruction& add) const { return of(add, 1) != kNone && of(add, 2) != kNone; }

  const ptx::Function& function_;
  const std::unordered_map<std::string_view, Base>& arrays_;
  std::vector<Base> base_;  // indexed by register
};

}  // namespace

std::vector<SharedArrayBounds> find_shared_array_bounds(const Program& program, const KernelInfo& kernel,
                                                        const Code& code) {
  std::vector<SharedArrayBounds> bounds;
  if (kernel.shared.size() < 2) return bounds;
  std::unordered_map<std::string_view, Base> arrays;
  for (std::size_t i = 0; i < kernel.shared.size(); ++i) arrays[kernel.shared[i].name] = static_cast<Base>(i);
  const Program::Impl& impl = program.impl();
  for (const CodeFunction& function : code.functions) {
    Search search(*function.source, arrays);
    search.run();
    const std::uint32_t first =
        impl.first_index[static_cast<std::size_t>(impl.functions.at(function.source->name))];
    for (std::uint32_t i = 0; i < function.source->instructions.size(); ++i) {
      const Base base = search.accessed(function.source->instructions[i]);
      if (base < 0) continue;
      const SharedVariable& array = kernel.shared[static_cast<std::size_t>(base)];
      if (array.bytes == 0) continue;
      if (bounds.size() <= first + i) bounds.resize(first + i + 1);
      bounds[first + i] = {array.offset, array.offset + array.bytes};
    }
  }
  return bounds;
}

}  // namespace warpgrade::emulator
