#include "ptx/parser/parser.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "ptx/lexer/cursor.hpp"
#include "ptx/parser/debug_section.hpp"
#include "ptx/parser/declaration.hpp"
#include "ptx/parser/function.hpp"
#include "ptx/parser/locations.hpp"

namespace warpgrade::ptx {
namespace {

// `.visible .extern .weak .common` in front of a declaration (11.6).
struct Linkage {
  bool visible = false;
  bool is_extern = false;
  bool weak = false;
};

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : cursor_(text), locations_(module_) {}
  Module parse();

 private:
  void directive(Linkage linkage);
  bool header(const Token& token);
  bool declaration(const Token& token, Linkage linkage);
  void version(const Token& token);
  void target();
  void variable(Space space, Linkage linkage);
  void add_variable(Variable variable, Linkage linkage);
  void function(bool is_entry, Linkage linkage);
  void add_function(Function function, Linkage linkage);
  void alias();
  void apply_aliases();
  void rename(Operand& operand) const;
  void check_relocations() const;
  bool known(const std::string& name) const { return functions_.contains(name) || variables_.contains(name); }

  Module module_;
  Cursor cursor_;
  Locations locations_;
  std::unordered_map<std::string, std::size_t> functions_, variables_;  // → index
  std::unordered_map<std::string, bool> weak_;                          // defined so far: is it weak
};

Module ModuleParser::parse() {
  while (!cursor_.at_end()) {
    Linkage linkage;
    for (;;) {
      if (cursor_.accept_directive("visible"))
        linkage.visible = true;
      else if (cursor_.accept_directive("extern"))
        linkage.is_extern = true;
      else if (cursor_.accept_directive("weak") || cursor_.accept_directive("common"))
        linkage.weak = linkage.visible = true;
      else
        break;
    }
    directive(linkage);
  }
  if (module_.version_major == 0) throw ParseError({1, 1}, "this is not PTX: it lacks a .version directive");
  locations_.resolve_names();
  apply_aliases();
  check_relocations();
  return std::move(module_);
}

void ModuleParser::directive(Linkage linkage) {
  if (cursor_.accept(';')) return;
  if (cursor_.at('@')) {  // lines `@@DWARF …` of compilers before CUDA 4
    cursor_.skip_line();
    return;
  }
  if (!cursor_.at_directive()) cursor_.fail("expected a directive, as in .global or .entry");
  const Token token = cursor_.take();
  if (header(token) || declaration(token, linkage)) return;
  throw ParseError(token.place, "the directive '." + shortened(token.text) +
                                    "' is not known: compile with CUDA 13 or older");
}

bool ModuleParser::header(const Token& token) {
  if (token.text == "version") {
    version(token);
  } else if (token.text == "target") {
    target();
  } else if (token.text == "address_size") {
    module_.address_size = static_cast<int>(cursor_.number("an address size", 64));
    if (module_.address_size != 64)
      throw ParseError(token.place, "only .address_size 64 is supported: compile with -m64");
  } else if (token.text == "file") {
    locations_.parse_file(cursor_);
  } else if (token.text == "section") {
    parse_section(cursor_, locations_, module_);
  } else if (token.text == "pragma") {
    skip_pragma(cursor_);
  } else if (token.text == "loc") {
    locations_.parse_location(cursor_);
  } else {
    return false;
  }
  return true;
}

bool ModuleParser::declaration(const Token& token, Linkage linkage) {
  const Space space = space_from_directive(token.text);
  if (token.text == "entry" || token.text == "func") {
    function(token.text == "entry", linkage);
  } else if (token.text == "alias") {
    alias();
  } else if (space == Space::global || space == Space::constant || space == Space::shared ||
             space == Space::local) {
    variable(space, linkage);
  } else if (space != Space::none) {
    throw ParseError(token.place, "registers and parameters are declared inside functions");
  } else {
    return false;
  }
  return true;
}

// `.version 9.0`
void ModuleParser::version(const Token& token) {
  const Token number = cursor_.take();
  const char* end = number.text.data() + number.text.size();
  const auto major = std::from_chars(number.text.data(), end, module_.version_major);
  if (number.kind != Token::Kind::real || major.ec != std::errc{} || major.ptr == end || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, end, module_.version_minor).ec != std::errc{} ||
      module_.version_major < 1)
    throw ParseError(token.place, "a version reads like .version 9.0");
}

// `.target sm_90a, debug`
void ModuleParser::target() {
  do {
    const TextPosition place = cursor_.place();
    const std::string_view name = cursor_.word("a target, as in sm_75");
    if (!name.starts_with("sm_")) continue;
    const std::string_view digits = name.substr(3);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), module_.target).ec != std::errc{})
      throw ParseError(place, "a target reads like sm_75");
    module_.target_name = std::string(name);
  } while (cursor_.accept(','));
}

void ModuleParser::variable(Space space, Linkage linkage) {
  parse_variables(cursor_, space, [&](Variable v) { add_variable(std::move(v), linkage); });
}

void ModuleParser::add_variable(Variable variable, Linkage linkage) {
  variable.visible = linkage.visible || linkage.is_extern;
  variable.is_extern = linkage.is_extern;
  variable.weak = linkage.weak;
  if (functions_.contains(variable.name))
    throw ParseError(variable.place, "'" + shortened(variable.name) + "' is a function already");
  const auto [found, fresh] = variables_.emplace(variable.name, module_.variables.size());
  if (fresh) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  Variable& earlier = module_.variables[found->second];
  if (!earlier.is_extern && !variable.is_extern)
    throw ParseError(variable.place, "the variable '" + shortened(variable.name) + "' is defined twice");
  if (earlier.is_extern) earlier = std::move(variable);
}

void ModuleParser::function(bool is_entry, Linkage linkage) {
  const FunctionContext context{locations_, [this](const std::string& name) { return known(name); },
                                [this](Variable v) { add_variable(std::move(v), {}); }};
  add_function(parse_function(cursor_, is_entry, context), linkage);
}

void ModuleParser::add_function(Function function, Linkage linkage) {
  if (variables_.contains(function.name))
    throw ParseError(function.place, "'" + shortened(function.name) + "' is a variable already");
  function.visible = linkage.visible || linkage.is_extern;
  function.weak = linkage.weak;
  const auto [found, fresh] = functions_.emplace(function.name, module_.functions.size());
  if (!function.is_declaration) {
    const auto [weak, first] = weak_.emplace(function.name, linkage.weak);
    if (!first && !weak->second && !linkage.weak)
      throw ParseError(function.place, "the function '" + shortened(function.name) + "' is defined twice");
    if (!first && linkage.weak) return;
    weak->second = linkage.weak;
  }
  if (fresh)
    module_.functions.push_back(std::move(function));
  else if (!function.is_declaration)
    module_.functions[found->second] = std::move(function);
}

// `.alias alias, function;` — the alias was declared before, without a body (11.6).
void ModuleParser::alias() {
  const TextPosition place = cursor_.place();
  std::string name(cursor_.word("the alias"));
  cursor_.expect(',', "between alias and function");
  std::string aliasee(cursor_.word("the function that the alias stands for"));
  cursor_.expect(';', "behind the alias");
  const auto target = functions_.find(aliasee);
  if (target == functions_.end() || module_.functions[target->second].is_declaration || name == aliasee)
    throw ParseError(place, "an alias stands for a function that is defined before it");
  module_.aliases[std::move(name)] = std::move(aliasee);
}

void ModuleParser::rename(Operand& operand) const {
  const auto found = operand.symbol.empty() ? module_.aliases.end() : module_.aliases.find(operand.symbol);
  if (found != module_.aliases.end()) operand.symbol = found->second;
  for (Operand& element : operand.elements) rename(element);
}

void ModuleParser::apply_aliases() {
  if (module_.aliases.empty()) return;
  for (Function& function : module_.functions)
    for (Instruction& instruction : function.instructions)
      for (Operand& operand : instruction.operands) rename(operand);
  for (Variable& variable : module_.variables)
    for (Relocation& relocation : variable.relocations)
      if (const auto found = module_.aliases.find(relocation.symbol); found != module_.aliases.end())
        relocation.symbol = found->second;
  std::erase_if(module_.functions,
                [this](const Function& f) { return f.is_declaration && module_.aliases.contains(f.name); });
}

void ModuleParser::check_relocations() const {
  for (const Variable& variable : module_.variables)
    for (const Relocation& relocation : variable.relocations)
      if (!known(relocation.symbol))
        throw ParseError(variable.place, "the initial value of '" + shortened(variable.name) + "' names '" +
                                             shortened(relocation.symbol) + "', which is declared nowhere");
}

}  // namespace

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace warpgrade::ptx
