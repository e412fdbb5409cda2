// The body of a function: declarations, labels and instructions in nested braces (PTX ISA, 4.2).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/lexer/cursor.hpp"
#include "ptx/parser/locations.hpp"
#include "ptx/parser/names.hpp"
#include "ptx/parser/operand.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

class BodyParser {
 public:
  // `known`: whether the module has a variable or function of that name.
  // `hoist` gets .global and .const variables that stand in the body: they live as long as the module.
  BodyParser(Cursor& cursor, Locations& locations, Function& function,
             std::function<bool(const std::string&)> known, std::function<void(Variable)> hoist);

  void parse();  // from `{` to the matching `}`

 private:
  void statement();
  void directive();
  void registers();
  void variable(Space space);
  void pragma();
  void word();
  void labelled(std::string_view name, TextPosition place);
  void target_list(const std::string& name, const char* what);
  void prototype(const std::string& name);
  void guard();
  void instruction(std::string_view dotted, TextPosition place);
  void call_operands(Instruction& instruction);

  void resolve();
  void resolve(Operand& operand, std::int32_t scope) const;
  void resolve_targets();
  void check_branch(const Instruction& instruction) const;

  struct Unresolved {
    std::size_t instruction;
    std::int32_t scope;
  };
  struct Targets {
    std::string name;
    std::int32_t scope;
    TextPosition place;
  };
  Cursor& cursor_;
  Locations& locations_;
  Function& function_;
  std::function<bool(const std::string&)> known_;
  std::function<void(Variable)> hoist_;
  Names names_;
  OperandParser operands_;
  std::vector<Unresolved> unresolved_;
  std::vector<Targets> targets_;
  std::int32_t location_ = -1;
  std::uint64_t used_bytes_mask_ = 0;
  std::int32_t guard_ = -1;
  bool guard_negated_ = false;
};

}  // namespace warpgrade::ptx
