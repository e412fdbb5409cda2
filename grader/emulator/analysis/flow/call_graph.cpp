// Finds the functions that a kernel may call, directly or indirectly.
#include <algorithm>

#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;

std::string called_name(const ptx::Instruction& call) {
  for (const ptx::Operand& operand : call.operands) {
    if (operand.kind == ptx::Operand::Kind::symbol || operand.kind == ptx::Operand::Kind::label) {
      return operand.symbol;
    }
    if (operand.kind == ptx::Operand::Kind::reg) return {};
  }
  return {};
}

bool makes_indirect_call(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& instruction) {
                       return instruction.opcode == Opcode::call && called_name(instruction).empty();
                     });
}

namespace {

class Reach {
 public:
  Reach(const Program::Impl& impl) : impl_(impl), found_(impl.module.functions.size(), false) {}

  std::vector<std::int32_t> from(std::int32_t kernel) {
    add(kernel);
    for (std::size_t i = 0; i < order_.size(); ++i)
      follow(impl_.module.functions[static_cast<std::size_t>(order_[i])]);
    return order_;
  }

 private:
  void add(std::int32_t function) {
    const auto index = static_cast<std::size_t>(function);
    if (found_[index] || impl_.module.functions[index].is_declaration) return;
    found_[index] = true;
    order_.push_back(function);
  }

  void add(const std::string& name) {
    auto function = impl_.functions.find(name);
    if (function != impl_.functions.end()) add(function->second);
  }

  // A function named in an operand is called directly, or its address is taken.
  void follow(const ptx::Function& function) {
    for (const ptx::Instruction& instruction : function.instructions) {
      for (const ptx::Operand& operand : instruction.operands) {
        if (!operand.symbol.empty()) add(operand.symbol);
      }
    }
    if (!indirect_ && makes_indirect_call(function)) add_functions_in_tables();
  }

  void add_functions_in_tables() {
    indirect_ = true;
    for (const ptx::Variable& variable : impl_.module.variables) {
      for (const ptx::Relocation& word : variable.relocations) add(word.symbol);
    }
    // An indirect call may reach every function whose address is taken anywhere in the module: another kernel
    // may have stored the pointer.
    for (const ptx::Function& function : impl_.module.functions) {
      for (const ptx::Instruction& instruction : function.instructions) {
        if (instruction.opcode == Opcode::mov && instruction.operands.size() == 2)
          add(instruction.operands[1].symbol);
      }
    }
  }

  const Program::Impl& impl_;
  std::vector<bool> found_;
  std::vector<std::int32_t> order_;
  bool indirect_ = false;
};

}  // namespace

std::vector<std::int32_t> find_reachable(const Program::Impl& impl, std::int32_t kernel) {
  return Reach(impl).from(kernel);
}

}  // namespace warpgrade::emulator
