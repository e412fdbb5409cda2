#include "analysis/memory/written_globals.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "analysis/synchronization/block_order_dependence.hpp"
#include "isa/attribute.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

bool is_one_of(Opcode opcode, std::initializer_list<Opcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

enum class Effect : std::uint8_t { none, writes_place, unknown };

// The effect of an instruction on global memory.
Effect effect_of(const ptx::Instruction& i) {
  if (address_operand(i) == nullptr || isa::is(i, isa::Attribute::no_global_write)) return Effect::none;
  if (isa::is(i, isa::Attribute::writes_global))
    return stays_in_block(i) ? Effect::none : Effect::writes_place;
  return Effect::unknown;
}

// Walks back from the addresses of writes to the parameters and variables that they are computed from.
class WrittenGlobalSearch {
 public:
  WrittenGlobalSearch(const KernelInfo& kernel, const ptx::Function& function, WrittenGlobals& found)
      : kernel_(kernel), function_(function), found_(found), seen_(function.registers.size()) {}

  void run() {
    for (const ptx::Instruction& i : function_.instructions) {
      if (i.opcode == Opcode::call) found_.heap |= called_name(i) == "malloc";
      const Effect effect = effect_of(i);
      if (effect == Effect::unknown) found_.anywhere = true;
      if (effect == Effect::writes_place) reach(*address_operand(i));
    }
    if (left_.empty() || found_.anywhere) return;
    std::vector<std::vector<const ptx::Instruction*>> writers(function_.registers.size());
    for (const ptx::Instruction& i : function_.instructions)
      for (const std::int32_t written : registers_used(i).written)
        writers[static_cast<std::size_t>(written)].push_back(&i);
    while (!left_.empty()) {
      const std::int32_t of = left_.back();
      left_.pop_back();
      for (const ptx::Instruction* writer : writers[static_cast<std::size_t>(of)]) come_from(*writer, of);
    }
  }

 private:
  void reach(std::int32_t reg) {
    if (reg < 0 || seen_[static_cast<std::size_t>(reg)]) return;
    seen_[static_cast<std::size_t>(reg)] = true;
    left_.push_back(reg);
  }

  void reach(const ptx::Operand& operand) {
    if (operand.kind == Kind::reg || operand.has_reg)
      reach(operand.reg);
    else if (operand.kind == Kind::symbol || (operand.kind == Kind::address && !operand.symbol.empty()))
      found_.variables.insert(operand.symbol);
    else if (operand.kind == Kind::address || operand.symbol.starts_with("%envreg"))
      found_.anywhere = true;
    for (const ptx::Operand& element : operand.elements) reach(element);
  }

  bool may_hold_pointer(std::int32_t reg) const {
    const ptx::Type type = function_.registers[static_cast<std::size_t>(reg)].type;
    return ptx::size_in_bytes(type) >= 8 && type != ptx::Type::f64;
  }

  void come_from(const ptx::Instruction& i, std::int32_t to) {
    if (i.opcode == Opcode::ld && is_parameter(i)) return take_parameter(i);
    const bool from_memory = i.opcode == Opcode::call || address_operand(i) != nullptr;
    if (from_memory || combines_halves(i)) {
      found_.anywhere |= may_hold_pointer(to);
      return;
    }
    for (std::size_t at = 1; at < i.operands.size(); ++at) reach(i.operands[at]);
  }

  // Combines two values that may be halves of a pointer.
  static bool combines_halves(const ptx::Instruction& i) {
    if (i.opcode == Opcode::mov) return i.operands.back().kind == Kind::vector;
    if (!is_one_of(i.opcode,
                   {Opcode::or_, Opcode::xor_, Opcode::bfi, Opcode::lop3, Opcode::shf, Opcode::prmt}))
      return false;
    return std::none_of(i.operands.begin(), i.operands.end(),
                        [](const ptx::Operand& each) { return each.kind == Kind::integer; });
  }

  bool is_parameter(const ptx::Instruction& i) const {
    const ptx::Operand* place = address_operand(i);
    return function_.is_entry && place != nullptr && !place->has_reg && place->offset >= 0 &&
           i.has(Modifier::param) && find(place->symbol) != nullptr;
  }
  const Parameter* find(const std::string& name) const {
    const auto is_it = [&](const Parameter& each) { return each.name == name; };
    const auto found = std::find_if(kernel_.parameters.begin(), kernel_.parameters.end(), is_it);
    return found == kernel_.parameters.end() ? nullptr : &*found;
  }
  void take_parameter(const ptx::Instruction& i) {
    const ptx::Operand& place = *address_operand(i);
    const auto first = find(place.symbol)->offset + static_cast<std::uint32_t>(place.offset);
    const auto bytes = static_cast<std::uint32_t>(ptx::size_in_bytes(i.type()));
    const std::size_t lanes = std::max<std::size_t>(1, i.operands[0].elements.size());
    for (std::uint32_t n = 0; n < lanes; ++n) found_.parameters.insert(first + bytes * n);
  }

  const KernelInfo& kernel_;
  const ptx::Function& function_;
  WrittenGlobals& found_;
  std::vector<bool> seen_;  // indexed by register
  std::vector<std::int32_t> left_;
};

}  // namespace

WrittenGlobals find_written_globals(const Code& code) {
  WrittenGlobals found;
  for (const CodeFunction& function : code.functions)
    WrittenGlobalSearch(*code.kernel, *function.source, found).run();
  return found;
}

}  // namespace warpgrade::emulator
