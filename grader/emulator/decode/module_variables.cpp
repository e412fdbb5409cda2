// Allocates module variables in device memory and writes their initial values.
#include <cstring>

#include "machine/program_impl.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::emulator {
namespace {

// Shared and local variables have no address until a block runs.
std::uint64_t address_of(const Program::Impl& impl, const std::string& symbol, ptx::TextPosition place) {
  if (auto variable = impl.variables.find(symbol); variable != impl.variables.end()) {
    return variable->second->base;
  }
  if (auto function = impl.functions.find(symbol); function != impl.functions.end()) {
    return function_address(function->second);
  }
  throw ptx::ParseError(place, "the initialiser needs the address of " + symbol +
                                   ", which is not a global variable or function of this program; link the "
                                   "file that defines it: nvcc -rdc=true both.cu files.cu");
}

void allocate(Program::Impl& impl, const ptx::Variable& variable) {
  if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) return;
  if (variable.is_extern && variable.bytes == 0) return;
  const auto kind = variable.managed                         ? Allocation::Kind::managed
                    : variable.space == ptx::Space::constant ? Allocation::Kind::module_constant
                                                             : Allocation::Kind::module_global;
  Allocation* placed = impl.memory->allocate(std::max<std::size_t>(variable.bytes, 1), kind, variable.name);
  if (!placed)
    throw ptx::ParseError(variable.place, "no device memory is left for variable " + variable.name);
  impl.variables[variable.name] = placed;
}

void fill(const Program::Impl& impl, const ptx::Variable& variable) {
  auto found = impl.variables.find(variable.name);
  if (found == impl.variables.end()) return;
  std::byte* bytes = found->second->data();
  std::memset(bytes, 0, variable.bytes);
  if (!variable.initial.empty()) {
    std::memcpy(bytes, variable.initial.data(), std::min(variable.bytes, variable.initial.size()));
  }
  for (const ptx::Relocation& word : variable.relocations) {
    std::uint64_t value =
        address_of(impl, word.symbol, variable.place) + static_cast<std::uint64_t>(word.addend);
    value >>= word.shift;
    const std::size_t size = static_cast<std::size_t>(word.bytes);
    if (word.offset + size <= variable.bytes) std::memcpy(bytes + word.offset, &value, size);
  }
}

template <class Action>
void for_each_variable(const Program::Impl& impl, Action action) {
  for (const ptx::Variable& variable : impl.module.variables) action(variable);
  for (const ptx::Function& function : impl.module.functions) {
    for (const ptx::Variable& variable : function.variables) action(variable);
  }
}

}  // namespace

void place_variables(Program::Impl& impl) {
  for_each_variable(impl, [&](const ptx::Variable& variable) { allocate(impl, variable); });
  for_each_variable(impl, [&](const ptx::Variable& variable) { fill(impl, variable); });
}

}  // namespace warpgrade::emulator
