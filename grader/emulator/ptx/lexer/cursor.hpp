// The parser's position in the token stream, with one token of lookahead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/lexer/lexer.hpp"

namespace warpgrade::ptx {

// A name of the text as part of a message, shortened: a hostile name may be long.
std::string shortened(std::string_view name);

class Cursor {
 public:
  explicit Cursor(std::string_view text) : lexer_(text) { token_ = lexer_.next(); }

  const Token& peek() const { return token_; }
  TextPosition place() const { return token_.place; }
  Token take();

  bool at_end() const { return token_.kind == Token::Kind::end; }
  bool at_word() const { return token_.kind == Token::Kind::word; }
  bool at_directive() const { return token_.kind == Token::Kind::directive; }
  bool at_directive(std::string_view name) const { return at_directive() && token_.text == name; }
  bool at(std::uint16_t symbol) const {
    return token_.kind == Token::Kind::symbol && token_.symbol == symbol;
  }

  // Takes the token if it is this one.
  bool accept(std::uint16_t symbol);
  bool accept_directive(std::string_view name);

  // Take the token or throw; `where` completes "expected X …": "behind the operands".
  void expect(char symbol, const char* where);
  std::string_view word(const char* what);
  std::string_view string(const char* what);
  // A plain decimal number from 0 to `most`.
  std::uint64_t number(const char* what, std::uint64_t most);

  void skip_line();  // drops the token too

  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string found() const;
  Lexer lexer_;
  Token token_;
};

}  // namespace warpgrade::ptx
