// PTX text → tokens (PTX ISA, chapter 4 "Syntax").
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,       // ld.global.f32, %tid.x, $L__BB0_1: with all suffixes after dots and double colons
    directive,  // .reg, without the dot in `text`
    integer,    // 42, 0x2aU: in `bits`
    real,       // 0f3F800000, 1.5: in `bits`
    string,     // without the quotes in `text`
    symbol,     // punctuation: in `symbol`
  };
  Kind kind = Kind::end;
  bool is_unsigned = false;  // integer with U, or too large for a signed one
  std::uint8_t width = 0;    // real: 32 or 64 bits
  std::uint16_t symbol = 0;  // one character, or two: first + 256 · second
  std::uint64_t bits = 0;
  std::string_view text;
  TextPosition place;
};

constexpr std::uint16_t two(char first, char second) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) +
                                    256 * static_cast<unsigned char>(second));
}

// Tokens view the text, which must outlive them. Throws ParseError where the text is not a token.
class Lexer {
 public:
  explicit Lexer(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}
  Token next();
  // The rest of the line that the last token ended on, without the line end.
  void skip_line();
  // For recovery after a ParseError: the next character, and a step over it. peek() needs !at_end().
  bool at_end() const { return at_ >= end_; }
  char peek() const { return *at_; }
  void skip_character();
  // Appends each following /* comment */ to `to`.
  void record_comments(std::vector<std::string_view>* to) { comments_ = to; }

 private:
  TextPosition place(const char* at) const { return {line_, static_cast<int>(at - line_start_) + 1}; }
  void skip_blank();
  void skip_comment();
  void lex_word(Token& token);
  void lex_number(Token& token);
  bool lex_bit_pattern(Token& token);
  void lex_integer(Token& token, int base, const char* digits);
  void lex_decimal(Token& token);
  void lex_string(Token& token);
  void lex_symbol(Token& token);

  const char* at_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  std::vector<std::string_view>* comments_ = nullptr;
};

}  // namespace warpgrade::ptx
