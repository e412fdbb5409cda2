#include "ptx/tree/dump.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace warpgrade::ptx {
namespace {

std::string_view space_name(Space space) {
  switch (space) {
    case Space::reg:
      return "reg";
    case Space::global:
      return "global";
    case Space::shared:
      return "shared";
    case Space::constant:
      return "const";
    case Space::local:
      return "local";
    case Space::param:
      return "param";
    case Space::generic:
      return "generic";
    case Space::none:
      break;
  }
  return "none";
}

std::string hex(std::uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

std::string signed_text(std::int64_t offset) {
  if (offset == 0) return "";
  return (offset > 0 ? "+" : "") + std::to_string(offset);
}

std::string at(TextPosition place) { return std::to_string(place.line) + ":" + std::to_string(place.column); }

class Dump {
 public:
  std::string text;
  void module(const Module& module);
  void operand(const Operand& operand, const Function& function);
  void instruction(const Instruction& instruction, const Function& function);

 private:
  void variable(const Variable& variable, const char* indent);
  void initial(const Variable& variable);
  void registers(const Function& function);
  void head(const Function& function);
  void tables(const Function& function);
  void function(const Function& function);
  void locations(const Module& module);
  void list(const std::vector<Operand>& operands, const Function& function, const char* begin,
            const char* end);
};

std::string register_name(std::int32_t index, const Function& function) {
  return index < 0 ? "_" : function.registers[static_cast<std::size_t>(index)].name;
}

void Dump::list(const std::vector<Operand>& operands, const Function& function, const char* begin,
                const char* end) {
  text += begin;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) text += ", ";
    operand(operands[i], function);
  }
  text += end;
}

void Dump::operand(const Operand& operand, const Function& function) {
  using Kind = Operand::Kind;
  if (operand.negated) text += "!";
  switch (operand.kind) {
    case Kind::reg:
      text += register_name(operand.reg, function);
      if (!operand.symbol.empty()) text += "." + operand.symbol;
      break;
    case Kind::special:
      text += operand.symbol;
      break;
    case Kind::integer:
      text += hex(operand.bits);
      break;
    case Kind::real:
      text += (operand.width == 32 ? "f32:" : "f64:") + hex(operand.bits);
      break;
    case Kind::symbol:
      text += "&" + operand.symbol + signed_text(operand.offset);
      break;
    case Kind::label:
      text += operand.symbol + "@" + std::to_string(operand.offset);
      break;
    case Kind::vector:
      list(operand.elements, function, "{", "}");
      break;
    case Kind::sink:
      text += "_";
      break;
    case Kind::address:
      text += "[" + (operand.has_reg ? register_name(operand.reg, function) : operand.symbol);
      text += operand.has_reg || !operand.symbol.empty() ? signed_text(operand.offset)
                                                         : std::to_string(operand.offset);
      if (!operand.elements.empty()) list(operand.elements, function, " of (", ")");
      text += "]";
      break;
  }
  if (operand.second >= 0) text += "|" + register_name(operand.second, function);
}

void Dump::instruction(const Instruction& instruction, const Function& function) {
  if (instruction.guard >= 0)
    text += std::string(instruction.guard_negated ? "@!" : "@") + register_name(instruction.guard, function) +
            " ";
  text += instruction.form();
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    text += i == 0 ? " " : ", ";
    operand(instruction.operands[i], function);
  }
  if (instruction.used_bytes_mask != 0) text += " ; uses bytes " + hex(instruction.used_bytes_mask);
  if (instruction.location >= 0) text += " ; loc " + std::to_string(instruction.location);
}

void Dump::initial(const Variable& variable) {
  if (!variable.initial.empty()) {
    text += " =";
    const auto last =
        std::find_if(variable.initial.rbegin(), variable.initial.rend(), [](auto b) { return b != 0; });
    char byte[4];
    for (auto b = variable.initial.begin(); b != last.base(); ++b) {
      std::snprintf(byte, sizeof byte, " %02x", *b);
      text += byte;
    }
    if (last != variable.initial.rbegin()) text += " and zeros";
  }
  for (const Relocation& r : variable.relocations) {
    text += "\n    " + std::to_string(r.bytes) + " bytes at " + std::to_string(r.offset) + " = " +
            (r.generic ? "generic " : "") + "&" + r.symbol + signed_text(r.addend);
    if (r.shift != 0) text += " >> " + std::to_string(r.shift);
  }
}

void Dump::variable(const Variable& variable, const char* indent) {
  text += indent;
  if (variable.is_extern) text += "extern ";
  if (variable.visible && !variable.is_extern) text += "visible ";
  if (variable.managed) text += "managed ";
  text += std::string(space_name(variable.space)) + " " + std::string(type_name(variable.type)) + " " +
          variable.name + " align " + std::to_string(variable.alignment) + " bytes " +
          std::to_string(variable.bytes);
  initial(variable);
  text += "\n";
}

// Consecutive registers of one type in one line: "b32: %r0 … %r38 (39)".
void Dump::registers(const Function& function) {
  const auto& all = function.registers;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].type == all[i].type) ++end;
    text += "  registers " + std::string(type_name(all[i].type)) + ": " + all[i].name;
    if (end - i > 1) text += " … " + all[end - 1].name + " (" + std::to_string(end - i) + ")";
    text += "\n";
    i = end;
  }
}

void Dump::head(const Function& function) {
  text += std::string(function.is_entry ? "entry " : "function ") + function.name;
  if (function.is_declaration) text += " declared only";
  if (function.noreturn) text += " noreturn";
  const auto dimensions = [&](const char* name, const int(&d)[3]) {
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return;
    text += std::string(" ") + name + " " + std::to_string(d[0]) + "," + std::to_string(d[1]) + "," +
            std::to_string(d[2]);
  };
  dimensions("at most", function.max_threads);
  dimensions("exactly", function.required_threads);
  dimensions("cluster", function.cluster);
  if (function.min_blocks != 0) text += " blocks " + std::to_string(function.min_blocks);
  if (function.max_registers != 0) text += " registers " + std::to_string(function.max_registers);
  text += "\n";
}

void Dump::tables(const Function& function) {
  const std::map<std::string, std::vector<std::string>> targets(function.branch_targets.begin(),
                                                                function.branch_targets.end());
  for (const auto& [name, labels] : targets) {
    text += "  targets " + name + ":";
    for (const std::string& label : labels) text += " " + label;
    text += "\n";
  }
  const std::map<std::string, Prototype> prototypes(function.prototypes.begin(), function.prototypes.end());
  for (const auto& [name, prototype] : prototypes) {
    text += "  prototype " + name + (prototype.noreturn ? " noreturn\n" : "\n");
    for (const Variable& v : prototype.results) variable(v, "    result ");
    for (const Variable& v : prototype.parameters) variable(v, "    ");
  }
}

void Dump::function(const Function& function) {
  head(function);
  for (const Variable& v : function.results) variable(v, "  result ");
  for (const Variable& v : function.parameters) variable(v, "  ");
  registers(function);
  for (const Variable& v : function.variables) variable(v, "  ");
  tables(function);
  std::multimap<std::uint32_t, std::string> labels;
  for (const auto& [name, index] : function.labels) labels.emplace(index, name);
  const auto write_labels = [&](std::size_t index) {
    std::vector<std::string> here;
    for (auto [i, end] = labels.equal_range(static_cast<std::uint32_t>(index)); i != end; ++i)
      here.push_back(i->second);
    std::sort(here.begin(), here.end());
    for (const std::string& name : here) text += " " + name + ":\n";
  };
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    write_labels(i);
    text += "  " + std::to_string(i) + " (" + at(function.instructions[i].place) + ") ";
    instruction(function.instructions[i], function);
    text += "\n";
  }
  write_labels(function.instructions.size());
}

void Dump::locations(const Module& module) {
  const std::map<int, std::string> files(module.files.begin(), module.files.end());
  for (const auto& [index, name] : files) text += "file " + std::to_string(index) + " " + name + "\n";
  for (std::size_t i = 0; i < module.locations.size(); ++i) {
    const Location& l = module.locations[i];
    text += "location " + std::to_string(i) + " file " + std::to_string(l.file) + " " +
            std::to_string(l.line) + ":" + std::to_string(l.column);
    if (!l.function.empty()) text += " in " + l.function;
    if (l.inlined_at >= 0) text += " inlined at location " + std::to_string(l.inlined_at);
    text += "\n";
  }
}

void Dump::module(const Module& module) {
  text += "module " + std::to_string(module.version_major) + "." + std::to_string(module.version_minor) +
          " " + module.target_name + " " + std::to_string(module.address_size) + " bits\n";
  const std::map<std::string, std::string> aliases(module.aliases.begin(), module.aliases.end());
  for (const auto& [name, aliasee] : aliases) text += "alias " + name + " of " + aliasee + "\n";
  for (const Variable& v : module.variables) variable(v, "");
  for (const Function& f : module.functions) function(f);
  locations(module);
}

}  // namespace

std::string dump(const Module& module) {
  Dump dump;
  dump.module(module);
  return std::move(dump.text);
}

std::string dump(const Instruction& instruction, const Function& function) {
  Dump dump;
  dump.instruction(instruction, function);
  return std::move(dump.text);
}

}  // namespace warpgrade::ptx
