#include "ptx/tree/linker.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

using NewNames = std::unordered_map<std::string, std::string>;

// Names of a function's variables begin with its name: "function::variable".
void rename(std::string& name, const NewNames& names) {
  if (name.empty()) return;
  const std::size_t inside = name.find("::");
  const auto found = names.find(name.substr(0, inside));
  if (found != names.end()) name = found->second + (inside < name.size() ? name.substr(inside) : "");
}

void rename(Operand& operand, const NewNames& names) {
  rename(operand.symbol, names);
  for (Operand& element : operand.elements) rename(element, names);
}

void rename(std::vector<Variable>& variables, const NewNames& names) {
  for (Variable& each : variables) {
    rename(each.name, names);
    for (Relocation& word : each.relocations) rename(word.symbol, names);
  }
}

void rename(Module& module, const NewNames& names) {
  rename(module.variables, names);
  for (Function& function : module.functions) {
    rename(function.name, names);
    rename(function.parameters, names);
    rename(function.results, names);
    rename(function.variables, names);
    for (Instruction& each : function.instructions)
      for (Operand& operand : each.operands) rename(operand, names);
  }
}

class Linker {
 public:
  void add(Module module, std::size_t number);
  Module finish() { return std::move(whole_); }

 private:
  void keep_apart(Module& module, std::size_t number) const;
  void add_places(Module& module);
  void add_variable(Variable variable);
  void add_function(Function function);
  bool taken(const std::string& name) const { return variables_.contains(name) || functions_.contains(name); }

  Module whole_;
  std::unordered_map<std::string, std::size_t> variables_, functions_;  // → index
};

// Renames symbols with internal linkage whose name another module uses.
void Linker::keep_apart(Module& module, std::size_t number) const {
  NewNames names;
  const auto look = [&](const std::string& name, bool visible) {
    if (!visible && taken(name)) names.emplace(name, name + "@" + std::to_string(number));
  };
  for (const Variable& each : module.variables) look(each.name, each.visible);
  // A declaration without `.extern` is that of a runtime function (vprintf).
  for (const Function& each : module.functions) look(each.name, each.visible || each.is_declaration);
  if (!names.empty()) rename(module, names);
}

// Source locations: renumbers files and locations after those of the earlier modules.
void Linker::add_places(Module& module) {
  const int first_location = static_cast<int>(whole_.locations.size());
  int first_file = 0;
  for (const auto& [number, name] : whole_.files) first_file = std::max(first_file, number + 1);
  for (const auto& [number, name] : module.files) whole_.files[first_file + number] = name;
  for (Location& each : module.locations) {
    each.file += first_file;
    if (each.inlined_at >= 0) each.inlined_at += first_location;
    whole_.locations.push_back(std::move(each));
  }
  for (Function& function : module.functions)
    for (Instruction& each : function.instructions)
      if (each.location >= 0) each.location += first_location;
}

void Linker::add_variable(Variable variable) {
  const auto [found, fresh] = variables_.emplace(variable.name, whole_.variables.size());
  if (fresh) return whole_.variables.push_back(std::move(variable));
  Variable& earlier = whole_.variables[found->second];
  if (variable.is_extern) return;
  if (earlier.is_extern || (earlier.weak && !variable.weak))
    earlier = std::move(variable);
  else if (!variable.weak)
    throw ParseError(variable.place, "the variable '" + variable.name + "' is defined in two modules");
}

void Linker::add_function(Function function) {
  const auto [found, fresh] = functions_.emplace(function.name, whole_.functions.size());
  if (fresh) return whole_.functions.push_back(std::move(function));
  Function& earlier = whole_.functions[found->second];
  if (function.is_declaration) return;
  if (earlier.is_declaration || (earlier.weak && !function.weak))
    earlier = std::move(function);
  else if (!function.weak)
    throw ParseError(function.place, "the function '" + function.name + "' is defined in two modules");
}

void Linker::add(Module module, std::size_t number) {
  keep_apart(module, number);
  add_places(module);
  for (Variable& each : module.variables) add_variable(std::move(each));
  for (Function& each : module.functions) add_function(std::move(each));
  whole_.aliases.merge(module.aliases);
  whole_.version_major = std::max(whole_.version_major, module.version_major);
  whole_.version_minor = std::max(whole_.version_minor, module.version_minor);
  if (module.target >= whole_.target) {
    whole_.target = module.target;
    whole_.target_name = module.target_name;
  }
}

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  Linker linker;
  for (std::size_t i = 0; i < modules.size(); ++i) linker.add(std::move(modules[i]), i);
  return linker.finish();
}

}  // namespace warpgrade::ptx
