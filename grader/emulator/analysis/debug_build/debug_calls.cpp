#include "analysis/debug_build/debug_calls.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "machine/program_impl.hpp"
#include "ptx/tree/toolkit_file.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

constexpr std::size_t kMostCopies = 4000, kLongest = 500;  // functions, instructions

class Copies {
 public:
  explicit Copies(ptx::Module& module) : module_(module) {
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
      const ptx::Function& function = module.functions[f];
      if (is_toolkit_function(module, function)) originals_.emplace(function.name, f);
    }
  }

  void run() {
    if (originals_.empty()) return;
    for (std::size_t f = 0; f < module_.functions.size(); ++f)
      for (std::size_t i = 0; i < module_.functions[f].instructions.size(); ++i)
        if (module_.functions[f].instructions[i].opcode == Opcode::call) look_at_call(f, i);
  }

 private:
  void look_at_call(std::size_t function, std::size_t instruction) {
    const std::string name = called_name(module_.functions[function].instructions[instruction]);
    const auto original = originals_.find(name);
    if (original == originals_.end() || original->second == function || copies_ == kMostCopies) return;
    if (taken_.insert(name).second) return;  // the first call keeps the original
    ptx::Function copy = module_.functions[original->second];
    copy.name += "$" + std::to_string(++copies_);
    for (ptx::Operand& operand : module_.functions[function].instructions[instruction].operands)
      if (operand.symbol == name) operand.symbol = copy.name;
    module_.functions.push_back(std::move(copy));
  }

  ptx::Module& module_;
  std::unordered_map<std::string, std::size_t> originals_;
  std::unordered_set<std::string> taken_;
  std::size_t copies_ = 0;
};

}  // namespace

bool is_toolkit_function(const ptx::Module& module, const ptx::Function& function) {
  if (function.is_entry || function.is_declaration || function.instructions.size() > kLongest) return false;
  const auto is_shared = [](const ptx::Variable& each) { return each.space == ptx::Space::shared; };
  if (std::any_of(function.variables.begin(), function.variables.end(), is_shared)) return false;
  for (const ptx::Instruction& each : function.instructions) {
    if (each.location < 0) continue;
    const auto file = module.files.find(module.locations[static_cast<std::size_t>(each.location)].file);
    return file != module.files.end() && ptx::is_toolkit_file(file->second);
  }
  return true;  // no line information: the compiler made the function
}

void copy_toolkit_functions(ptx::Module& module) { Copies(module).run(); }

}  // namespace warpgrade::emulator
