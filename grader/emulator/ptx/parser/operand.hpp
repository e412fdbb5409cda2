// Operands of an instruction (PTX ISA, chapter 6).
#pragma once

#include "ptx/lexer/cursor.hpp"
#include "ptx/parser/names.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// Names that the function has not declared so far (labels ahead, variables and functions of the
// module) become Kind::symbol or an address with the name as written; the caller resolves them.
class OperandParser {
 public:
  OperandParser(Cursor& cursor, const Names& names) : cursor_(cursor), names_(names) {}

  Operand parse();
  // `(param0, %r1)` of a call: Kind::vector.
  Operand parse_list();

 private:
  Operand name();
  Operand with_bar(Operand first);
  Operand constant();
  Operand vector();
  Operand address();
  void address_base(Operand& operand);
  Operand element();
  bool find_register(std::string_view text, Operand& operand) const;

  Cursor& cursor_;
  const Names& names_;
};

// "%tid.x": one of the read-only registers of chapter 10.
bool is_special_register(std::string_view name);

}  // namespace warpgrade::ptx
