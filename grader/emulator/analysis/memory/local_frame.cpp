#include "analysis/memory/local_frame.hpp"

#include <algorithm>

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

class Layout {
 public:
  explicit Layout(const ptx::Function& function) : function_(function) {}

  LocalLayout run() {
    for (const ptx::Variable& variable : function_.variables) {
      if (variable.space == ptx::Space::local) append(variable);
      if (variable.space == ptx::Space::param) passed_[variable.name] = &variable;
    }
    if (!function_.is_entry) {
      for (const ptx::Variable& variable : function_.parameters) append(variable);
      for (const ptx::Variable& variable : function_.results) append(variable);
    }
    const std::uint32_t shared_area = layout_.bytes = round_up(layout_.bytes, 16);
    std::uint32_t end = shared_area;
    for (const ptx::Instruction& instruction : function_.instructions) {
      if (instruction.opcode == Opcode::call) end = std::max(end, place_call(instruction, shared_area));
    }
    layout_.bytes = end;
    for (const auto& variable : function_.variables) {  // not passed in any call: hand-written PTX
      if (variable.space == ptx::Space::param && !layout_.variables.count(variable.name)) append(variable);
    }
    layout_.bytes = round_up(layout_.bytes, 16);
    return std::move(layout_);
  }

 private:
  static std::uint32_t round_up(std::uint32_t value, std::size_t alignment) {
    const auto mask = static_cast<std::uint32_t>(std::max<std::size_t>(alignment, 1) - 1);
    return (value + mask) & ~mask;
  }

  // Arguments in registers get no place in local memory.
  std::uint32_t place(const ptx::Variable& variable, std::uint32_t at) {
    at = round_up(at, std::max<std::size_t>(variable.alignment, 4));
    layout_.variables[variable.name] = {at, static_cast<std::uint32_t>(variable.bytes)};
    return at + static_cast<std::uint32_t>(variable.bytes);
  }

  void append(const ptx::Variable& variable) { layout_.bytes = place(variable, layout_.bytes); }

  template <class Action>
  void for_each_passed(const ptx::Instruction& call, Action action) const {
    for (const ptx::Operand& list : call.operands) {
      for (const ptx::Operand& operand : list.elements) {
        if (auto found = passed_.find(operand.symbol); found != passed_.end()) action(*found->second);
      }
    }
  }

  // A variable that an earlier call passed keeps its place; new variables are laid out after it.
  std::uint32_t place_call(const ptx::Instruction& call, std::uint32_t begin) {
    std::uint32_t end = begin;
    for_each_passed(call, [&](const ptx::Variable& variable) {
      auto placed = layout_.variables.find(variable.name);
      if (placed != layout_.variables.end())
        end = std::max(end, placed->second.offset + placed->second.bytes);
    });
    for_each_passed(call, [&](const ptx::Variable& variable) {
      if (!layout_.variables.count(variable.name)) end = place(variable, end);
    });
    return end;
  }

  const ptx::Function& function_;
  std::unordered_map<std::string, const ptx::Variable*> passed_;
  LocalLayout layout_;
};

}  // namespace

LocalLayout lay_out_local(const ptx::Function& function) { return Layout(function).run(); }

}  // namespace warpgrade::emulator
