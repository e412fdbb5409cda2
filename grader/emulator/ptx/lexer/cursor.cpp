#include "ptx/lexer/cursor.hpp"

#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {

std::string shortened(std::string_view name) { return std::string(name.substr(0, 60)); }

Token Cursor::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Cursor::accept(std::uint16_t symbol) {
  if (!at(symbol)) return false;
  take();
  return true;
}

bool Cursor::accept_directive(std::string_view name) {
  if (!at_directive(name)) return false;
  take();
  return true;
}

void Cursor::expect(char symbol, const char* where) {
  if (!accept(static_cast<unsigned char>(symbol)))
    fail(std::string("expected '") + symbol + "' " + where + ", found " + found());
}

std::string_view Cursor::word(const char* what) {
  if (!at_word()) fail(std::string("expected ") + what + ", found " + found());
  return take().text;
}

std::string_view Cursor::string(const char* what) {
  if (token_.kind != Token::Kind::string)
    fail(std::string("expected ") + what + " in quotes, found " + found());
  return take().text;
}

std::uint64_t Cursor::number(const char* what, std::uint64_t most) {
  if (token_.kind != Token::Kind::integer) fail(std::string("expected ") + what + ", found " + found());
  if (token_.bits > most) fail(std::string(what) + " is larger than " + std::to_string(most));
  return take().bits;
}

void Cursor::skip_line() {
  lexer_.skip_line();
  token_ = lexer_.next();
}

void Cursor::fail(const std::string& message) const { throw ParseError(token_.place, message); }

// The token as part of a message.
std::string Cursor::found() const {
  if (at_end()) return "the end of the text";
  const std::string dot = at_directive() ? "." : "";
  return "'" + dot + std::string(token_.text.substr(0, 40)) + "'";
}

}  // namespace warpgrade::ptx
