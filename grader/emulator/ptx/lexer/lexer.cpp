#include "ptx/lexer/lexer.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>

#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

enum : std::uint8_t { kBlank = 1, kStart = 2, kFollow = 4, kDigit = 8, kHex = 16 };

// Character classes, as a table: the lexer classifies each byte of the text.
constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kFollow | kDigit | kHex;
  for (int c = 'a'; c <= 'z'; ++c) {
    const auto hex = static_cast<std::uint8_t>(c <= 'f' ? kHex : 0);
    classes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(kStart | kFollow | hex);
    classes[static_cast<std::size_t>(c - 'a' + 'A')] = static_cast<std::uint8_t>(kStart | kFollow | hex);
  }
  classes['_'] = kStart | kFollow;
  classes['$'] = kStart | kFollow;
  classes['%'] = kStart;
  return classes;
}
constexpr auto kClasses = make_classes();

bool is(char c, std::uint8_t mask) { return (kClasses[static_cast<unsigned char>(c)] & mask) != 0; }

}  // namespace

void Lexer::skip_comment() {
  const TextPosition start = place(at_);
  const char* begin = at_;
  for (at_ += 2; at_ + 1 < end_; ++at_) {
    if (at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      if (comments_ != nullptr) comments_->emplace_back(begin, at_);
      return;
    }
    if (*at_ == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
  }
  at_ = end_;
  if (comments_ != nullptr) comments_->emplace_back(begin, at_);
  throw ParseError(start, "this comment has no end: add */");
}

void Lexer::skip_character() {
  if (at_ >= end_) return;
  if (*at_++ != '\n') return;
  ++line_;
  line_start_ = at_;
}

void Lexer::skip_line() {
  const void* found = at_ < end_ ? std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)) : nullptr;
  at_ = found != nullptr ? static_cast<const char*>(found) : end_;
}

void Lexer::skip_blank() {
  while (at_ < end_) {
    if (is(*at_, kBlank)) {
      ++at_;
    } else if (*at_ == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (*at_ == '/' && at_ + 1 < end_ && at_[1] == '/') {
      skip_line();
    } else if (*at_ == '/' && at_ + 1 < end_ && at_[1] == '*') {
      skip_comment();
    } else {
      return;
    }
  }
}

void Lexer::lex_word(Token& token) {
  const char* start = at_++;
  for (;;) {
    while (at_ < end_ && is(*at_, kFollow)) ++at_;
    if (at_ + 1 < end_ && *at_ == '.' && is(at_[1], kFollow)) {
      ++at_;
    } else if (at_ + 2 < end_ && at_[0] == ':' && at_[1] == ':' && is(at_[2], kFollow)) {
      at_ += 2;
    } else {
      break;
    }
  }
  token.kind = Token::Kind::word;
  token.text = {start, static_cast<std::size_t>(at_ - start)};
}

// 0f and 8 hexadecimal digits, 0d and 16: the bits of a float or a double (4.5.2).
bool Lexer::lex_bit_pattern(Token& token) {
  if (at_ + 1 >= end_ || at_[0] != '0') return false;
  const char letter = static_cast<char>(at_[1] | 0x20);
  if (letter != 'f' && letter != 'd') return false;
  const char* digits = at_ + 2;
  const std::ptrdiff_t wanted = letter == 'f' ? 8 : 16;
  if (end_ - digits < wanted) return false;
  const auto [last, error] = std::from_chars(digits, digits + wanted, token.bits, 16);
  if (error != std::errc{} || last != digits + wanted) return false;
  token.kind = Token::Kind::real;
  token.width = letter == 'f' ? 32 : 64;
  at_ = last;
  return true;
}

void Lexer::lex_integer(Token& token, int base, const char* digits) {
  const auto [last, error] = std::from_chars(digits, end_, token.bits, base);
  if (error == std::errc::result_out_of_range)
    throw ParseError(token.place, "this number does not fit into 64 bits");
  if (error != std::errc{} && digits != at_)
    throw ParseError(token.place, "digits are missing behind the number's prefix");
  token.kind = Token::Kind::integer;
  at_ = error == std::errc{} ? last : digits;
  token.is_unsigned = token.bits >> 63 != 0;
  if (at_ < end_ && *at_ == 'U') {
    token.is_unsigned = true;
    ++at_;
  }
}

void Lexer::lex_decimal(Token& token) {
  double value = 0;
  const auto [last, error] = std::from_chars(at_, end_, value);
  if (error != std::errc{})
    throw ParseError(token.place, "this number is too large or too small for a double");
  token.kind = Token::Kind::real;
  token.width = 64;
  token.bits = std::bit_cast<std::uint64_t>(value);
  at_ = last;
}

void Lexer::lex_number(Token& token) {
  const char* start = at_;
  if (!lex_bit_pattern(token)) {
    const char* digits = at_;
    while (digits < end_ && is(*digits, kDigit)) ++digits;
    const char behind = digits < end_ ? static_cast<char>(*digits | 0x20) : ' ';
    const bool zero = *at_ == '0';
    if (zero && digits == at_ + 1 && behind == 'x') {
      lex_integer(token, 16, at_ + 2);
    } else if (zero && digits == at_ + 1 && behind == 'b') {
      lex_integer(token, 2, at_ + 2);
    } else if ((digits < end_ && *digits == '.') || behind == 'e') {
      lex_decimal(token);
    } else {
      lex_integer(token, zero && digits > at_ + 1 ? 8 : 10, at_);
    }
  }
  if (at_ < end_ && is(*at_, kFollow)) throw ParseError(token.place, "this is neither a number nor a name");
  token.text = {start, static_cast<std::size_t>(at_ - start)};
}

void Lexer::lex_string(Token& token) {
  // As ptxas reads it: everything up to the next quote, across lines.
  const char* start = ++at_;
  for (; at_ < end_ && *at_ != '"'; ++at_) {
    if (*at_ != '\n') continue;
    ++line_;
    line_start_ = at_ + 1;
  }
  if (at_ >= end_) throw ParseError(token.place, "this string has no end: add a quote");
  token.kind = Token::Kind::string;
  token.text = {start, static_cast<std::size_t>(at_ - start)};
  ++at_;
}

void Lexer::lex_symbol(Token& token) {
  const char c = *at_;
  if (std::strchr("{}()[]<>,;:=+-*/%&|^~!?@", c) == nullptr || c == '\0')
    throw ParseError(token.place, "a character that PTX does not have stands here");
  token.kind = Token::Kind::symbol;
  token.symbol = static_cast<unsigned char>(c);
  token.text = {at_, 1};
  const char second = at_ + 1 < end_ ? at_[1] : ' ';
  const bool doubled = second == c && std::strchr("<>&|=", c) != nullptr;
  const bool compared = second == '=' && std::strchr("<>!", c) != nullptr;
  if (doubled || compared) {
    token.symbol = two(c, second);
    token.text = {at_, 2};
  }
  at_ += token.text.size();
}

Token Lexer::next() {
  skip_blank();
  Token token;
  token.place = place(at_);
  if (at_ >= end_) return token;
  const char c = *at_;
  if (is(c, kStart) && (c != '%' || (at_ + 1 < end_ && is(at_[1], kFollow) && !is(at_[1], kDigit)))) {
    lex_word(token);
  } else if (is(c, kDigit)) {
    lex_number(token);
  } else if (c == '.' && at_ + 1 < end_ && is(at_[1], kFollow)) {
    const char* start = ++at_;
    while (at_ < end_ && is(*at_, kFollow)) ++at_;
    if (at_ + 2 < end_ && at_[0] == ':' && at_[1] == ':' && is(at_[2], kFollow))
      while (at_ < end_ && (is(*at_, kFollow) || *at_ == ':')) ++at_;
    token.kind = Token::Kind::directive;
    token.text = {start, static_cast<std::size_t>(at_ - start)};
  } else if (c == '"') {
    lex_string(token);
  } else {
    lex_symbol(token);
  }
  return token;
}

}  // namespace warpgrade::ptx
