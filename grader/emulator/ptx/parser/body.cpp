#include "ptx/parser/body.hpp"

#include <algorithm>
#include <charconv>

#include "ptx/parser/declaration.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::size_t kMaxDepth = 128;  // the most nested braces

bool is_local(const std::string& name) { return name.find("::") != std::string::npos; }

bool needs_resolving(const Operand& operand) {
  const bool named = operand.kind == Operand::Kind::symbol ||
                     (operand.kind == Operand::Kind::address && !operand.symbol.empty());
  if (named && !is_local(operand.symbol)) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(), needs_resolving);
}

}  // namespace

BodyParser::BodyParser(Cursor& cursor, Locations& locations, Function& function,
                       std::function<bool(const std::string&)> known, std::function<void(Variable)> hoist)
    : cursor_(cursor),
      locations_(locations),
      function_(function),
      known_(std::move(known)),
      hoist_(std::move(hoist)),
      names_(function),
      operands_(cursor_, names_) {
  for (std::vector<Variable>* list : {&function.results, &function.parameters})
    for (Variable& parameter : *list) {
      if (parameter.name == "_") continue;
      const std::string name = parameter.name;
      if (parameter.space == Space::reg)
        names_.declare_registers(name, parameter.type, 1, parameter.place);
      else
        names_.declare_variable(name, parameter);
    }
}

void BodyParser::parse() {
  locations_.begin_function();
  cursor_.expect('{', "in front of the function's body");
  std::size_t depth = 1;
  while (depth > 0) {
    if (cursor_.at_end())
      cursor_.fail("the function '" + shortened(function_.name) + "' has no end: a '}' is missing");
    if (cursor_.accept('{')) {
      if (++depth > kMaxDepth) cursor_.fail("braces are nested more than 128 deep");
      names_.open();
    } else if (cursor_.accept('}')) {
      if (--depth > 0) names_.close();
    } else {
      statement();
    }
  }
  resolve();
}

void BodyParser::statement() {
  if (cursor_.accept(';')) return;
  if (cursor_.at_directive()) {
    directive();
  } else if (cursor_.accept('@')) {
    guard();
  } else if (cursor_.at_word()) {
    word();
  } else {
    cursor_.fail("expected an instruction, a label or a declaration");
  }
}

void BodyParser::directive() {
  const Token token = cursor_.take();
  if (token.text == "loc") {
    location_ = locations_.parse_location(cursor_);
  } else if (token.text == "reg") {
    registers();
  } else if (token.text == "pragma") {
    pragma();
  } else if (token.text == "file") {
    locations_.parse_file(cursor_);
  } else if (const Space space = space_from_directive(token.text); space != Space::none) {
    variable(space);
  } else {
    throw ParseError(token.place, "the directive '." + shortened(token.text) +
                                      "' is not known inside a function: compile with CUDA 13 or older");
  }
}

// `.reg .b32 %r<39>, a;`
void BodyParser::registers() {
  const DeclarationHead head = parse_head(cursor_, Space::reg);
  do {
    const TextPosition place = cursor_.place();
    const std::string_view name = cursor_.word("a register's name");
    if (cursor_.accept('<')) {
      names_.declare_range(name, cursor_.number("a number of registers", 1u << 18), head.type, place);
      cursor_.expect('>', "behind the number of registers");
    } else {
      names_.declare_registers(name, head.type, head.vector, place);
    }
  } while (cursor_.accept(','));
  cursor_.expect(';', "behind the registers");
}

void BodyParser::variable(Space space) {
  parse_variables(cursor_, space, [&](Variable variable) {
    const std::string name = variable.name;
    names_.declare_variable(name, variable);
    if (space == Space::global || space == Space::constant)
      hoist_(std::move(variable));
    else
      function_.variables.push_back(std::move(variable));
  });
}

// Only used_bytes_mask matters: the bytes of the next load that the program uses.
void BodyParser::pragma() {
  const std::string_view text = cursor_.string("a pragma");
  constexpr std::string_view kMask = "used_bytes_mask ";
  if (text.starts_with(kMask)) {
    std::string_view digits = text.substr(kMask.size());
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    std::from_chars(digits.data(), digits.data() + digits.size(), used_bytes_mask_, hex ? 16 : 10);
  }
  while (cursor_.accept(',')) cursor_.string("a pragma");
  cursor_.expect(';', "behind the pragma");
}

void BodyParser::word() {
  const Token token = cursor_.take();
  if (cursor_.accept(':'))
    labelled(token.text, token.place);
  else
    instruction(token.text, token.place);
}

// After `name:` follows an instruction, a list of targets or a prototype.
void BodyParser::labelled(std::string_view name, TextPosition place) {
  std::string unique = names_.declare_label(name, place);
  if (cursor_.accept_directive("branchtargets")) {
    target_list(unique, "a label");
  } else if (cursor_.accept_directive("calltargets")) {
    target_list(unique, "a function");
  } else if (cursor_.accept_directive("callprototype")) {
    prototype(unique);
  } else {
    function_.labels.emplace(std::move(unique), static_cast<std::uint32_t>(function_.instructions.size()));
  }
}

void BodyParser::target_list(const std::string& name, const char* what) {
  const TextPosition place = cursor_.place();
  std::vector<std::string>& targets = function_.branch_targets[name];
  do {
    targets.emplace_back(cursor_.word(what));
  } while (cursor_.accept(','));
  cursor_.expect(';', "behind the targets");
  targets_.push_back({name, names_.scope(), place});
}

// `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
void BodyParser::prototype(const std::string& name) {
  Prototype& prototype = function_.prototypes[name];
  if (cursor_.at('(')) prototype.results = parse_parameters(cursor_);
  cursor_.word("'_' between results and parameters");
  if (cursor_.at('(')) prototype.parameters = parse_parameters(cursor_);
  while (cursor_.at_directive()) {
    prototype.noreturn = cursor_.take().text == "noreturn" || prototype.noreturn;
    if (cursor_.peek().kind == Token::Kind::integer) cursor_.take();  // .abi_preserve 4
  }
  cursor_.expect(';', "behind the prototype");
}

// `@!%p1 opcode …`
void BodyParser::guard() {
  guard_negated_ = cursor_.accept('!');
  const TextPosition place = cursor_.place();
  const Names::Meaning meaning = names_.find(cursor_.word("a predicate behind '@'"));
  if (meaning.kind != Names::Meaning::Kind::reg ||
      function_.registers[static_cast<std::size_t>(meaning.index)].type != Type::pred)
    throw ParseError(place, "the guard of an instruction is a declared .pred register");
  guard_ = meaning.index;
  const TextPosition opcode = cursor_.place();
  instruction(cursor_.word("an instruction behind its guard"), opcode);
}

void BodyParser::instruction(std::string_view dotted, TextPosition place) {
  Instruction instruction;
  instruction.place = place;
  std::string form(dotted);
  while (cursor_.at_directive()) form.append(".").append(cursor_.take().text);
  instruction.set_form(std::move(form));
  instruction.guard = std::exchange(guard_, -1);
  instruction.guard_negated = std::exchange(guard_negated_, false);
  instruction.location = location_;
  instruction.used_bytes_mask = std::exchange(used_bytes_mask_, 0);
  if (instruction.opcode == Opcode::call) {
    call_operands(instruction);
  } else if (!cursor_.at(';')) {
    instruction.operands.reserve(4);
    do {
      instruction.operands.push_back(operands_.parse());
    } while (cursor_.accept(','));
  }
  cursor_.expect(';', "behind the instruction");
  if (std::any_of(instruction.operands.begin(), instruction.operands.end(), needs_resolving))
    unresolved_.push_back({function_.instructions.size(), names_.scope()});
  function_.instructions.push_back(std::move(instruction));
}

// `(results), target, (arguments), prototype`: all but the target may be absent (9.7.12.5).
void BodyParser::call_operands(Instruction& instruction) {
  do {
    instruction.operands.push_back(cursor_.at('(') ? operands_.parse_list() : operands_.parse());
  } while (cursor_.accept(','));
}

void BodyParser::resolve() {
  for (const Unresolved& at : unresolved_)
    for (Operand& operand : function_.instructions[at.instruction].operands) resolve(operand, at.scope);
  resolve_targets();
  for (const Instruction& instruction : function_.instructions) check_branch(instruction);
}

void BodyParser::resolve(Operand& operand, std::int32_t scope) const {
  for (Operand& element : operand.elements) resolve(element, scope);
  const bool symbol = operand.kind == Operand::Kind::symbol;
  if (operand.symbol.empty() || is_local(operand.symbol)) return;
  if (!symbol && operand.kind != Operand::Kind::address) return;
  if (const std::string* label = symbol ? names_.find_label(scope, operand.symbol) : nullptr) {
    operand.symbol = *label;
    const auto found = function_.labels.find(*label);
    if (found == function_.labels.end()) return;  // a list of targets or a prototype
    operand.kind = Operand::Kind::label;
    operand.offset = found->second;
    return;
  }
  if (!known_(operand.symbol))
    throw ParseError(operand.place, "nothing is called '" + shortened(operand.symbol) +
                                        "': no register, label, variable or function declared before");
}

// Validates branch targets once, so that later passes can rely on them (9.7.12.3, 9.7.12.4).
void BodyParser::check_branch(const Instruction& instruction) const {
  const std::vector<Operand>& operands = instruction.operands;
  if (instruction.opcode == Opcode::bra) {
    if (operands.size() != 1 || operands[0].kind != Operand::Kind::label)
      throw ParseError(instruction.place, "bra takes one label of this function");
  } else if (instruction.opcode == Opcode::brx) {
    const auto list = operands.size() == 2 ? function_.branch_targets.find(operands[1].symbol)
                                           : function_.branch_targets.end();
    const auto is_label = [this](const std::string& name) { return function_.labels.contains(name); };
    if (list == function_.branch_targets.end() ||
        !std::all_of(list->second.begin(), list->second.end(), is_label))
      throw ParseError(instruction.place, "brx takes an index and a list of labels of this function");
  }
}

void BodyParser::resolve_targets() {
  for (const Targets& targets : targets_)
    for (std::string& target : function_.branch_targets[targets.name]) {
      if (const std::string* label = names_.find_label(targets.scope, target))
        target = *label;
      else if (!known_(target))
        throw ParseError(targets.place, "'" + shortened(target) + "' is neither a label nor a function");
    }
}

}  // namespace warpgrade::ptx
