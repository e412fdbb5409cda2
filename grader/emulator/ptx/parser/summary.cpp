#include "ptx/parser/summary.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>

#include "ptx/lexer/lexer.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::uint64_t kUnreadableSize = std::uint64_t{1} << 62;
constexpr std::size_t kMostDigits = 17;
constexpr std::size_t kMostLineDigits = 9;
constexpr std::size_t kLongestForm = 100;

// The lexer's tokens. What the lexer refuses becomes a symbol of one character, so that every text has
// tokens.
class TolerantLexer {
 public:
  explicit TolerantLexer(std::string_view text, std::vector<std::string_view>* comments = nullptr)
      : lexer_(text) {
    lexer_.record_comments(comments);
  }

  Token next() {
    try {
      return lexer_.next();
    } catch (const ParseError& error) {
      Token refused;
      refused.place = error.place;
      refused.kind = Token::Kind::symbol;
      if (lexer_.at_end()) return refused;  // a string or a comment without an end
      refused.symbol = static_cast<unsigned char>(lexer_.peek());
      lexer_.skip_character();
      return refused;
    }
  }

  void skip_line() { lexer_.skip_line(); }

 private:
  Lexer lexer_;
};

bool is_symbol(const Token& token, char c) {
  return token.kind == Token::Kind::symbol && token.symbol == static_cast<unsigned char>(c);
}
bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_directive(const Token& token, std::string_view name) {
  return token.kind == Token::Kind::directive && token.text == name;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && text.size() <= kMostDigits ? std::optional(value) : std::nullopt;
}

// Bytes of ".b32" and the like; 0 for a directive that is not such a type.
std::uint64_t bytes_of_type(const Token& token) {
  constexpr std::size_t longest = 4;
  if (token.kind != Token::Kind::directive || token.text.size() < 2 || token.text.size() > longest) return 0;
  if (std::string_view("bsuf").find(token.text[0]) == std::string_view::npos) return 0;
  return decimal(token.text.substr(1)).value_or(0) / 8;
}

// The size in brackets that begins at `at`; moves `at` to the position after it.
std::uint64_t dimension(const std::vector<Token>& tokens, std::size_t& at) {
  const std::size_t first = ++at;
  while (at < tokens.size() && !is_symbol(tokens[at], ']')) ++at;
  const std::size_t count = at - first;
  if (at < tokens.size()) ++at;
  if (count == 0) return 1;
  if (count > 1 || tokens[first].kind != Token::Kind::integer) return kUnreadableSize;
  return decimal(tokens[first].text).value_or(kUnreadableSize);
}

// Global memory of the variables that a statement declares. `head`: its tokens before the initial value.
std::uint64_t declared_bytes(const std::vector<Token>& head) {
  const auto is_global = [](const Token& token) { return is_directive(token, "global"); };
  if (std::none_of(head.begin(), head.end(), is_global)) return 0;
  std::uint64_t each = 1, total = 0;
  for (const Token& token : head)
    if (is_directive(token, "v2") || is_directive(token, "v4")) {
      each = token.text == "v2" ? 2 : 4;
      break;
    }
  std::size_t at = 0;
  while (at < head.size() && bytes_of_type(head[at]) == 0) ++at;
  if (at == head.size()) return 0;
  each *= bytes_of_type(head[at++]);
  while (at < head.size()) {
    if (head[at++].kind != Token::Kind::word) continue;
    std::uint64_t bytes = each;
    while (at < head.size() && is_symbol(head[at], '[')) bytes = multiply(bytes, dimension(head, at));
    total = add(total, bytes);
  }
  return total;
}

// Reads the tokens of a text one after the other; each part keeps its own state between two tokens.
class Summarizer {
 public:
  explicit Summarizer(std::string_view text) : lexer_(text) { token_ = lexer_.next(); }

  Summary run() {
    while (token_.kind != Token::Kind::end) {
      check_variables();
      if (is_directive(token_, "entry")) {
        advance();
        kernel();
      } else {
        advance();
      }
    }
    out_.global_bytes = add(out_.global_bytes, declared_bytes(head_));
    if (!has_function_) out_.callers.clear();
    return std::move(out_);
  }

 private:
  void advance() {
    check_preprocessor_line();
    check_function();
    check_instruction();
    count_opcode();
    last_line_ = token_.place.line;
    token_ = lexer_.next();
  }

  void check_preprocessor_line() {
    if (is_symbol(token_, '#') && token_.place.line != last_line_) out_.has_preprocessor_line = true;
  }

  // A .func that is followed by { has a body; one that is followed by ; is a declaration.
  void check_function() {
    if (is_directive(token_, "func")) in_function_head_ = true;
    if (is_symbol(token_, '{') && in_function_head_) has_function_ = true;
    if (is_symbol(token_, '{') || is_symbol(token_, ';')) in_function_head_ = false;
  }

  void check_variables() {
    if (is_symbol(token_, ';')) {
      out_.global_bytes = add(out_.global_bytes, declared_bytes(head_));
      head_.clear();
      in_initial_value_ = false;
    } else if (in_initial_value_ || is_symbol(token_, '=')) {
      in_initial_value_ = true;
    } else if (is_symbol(token_, '{') || is_symbol(token_, '}')) {
      head_.clear();
    } else {
      head_.push_back(token_);
    }
  }

  void check_instruction() {
    if (token_.kind != Token::Kind::word) return;
    const std::string_view opcode = token_.text.substr(0, token_.text.find('.'));
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), opcode) != names.end();
    };
    if (!out_.tensor && is_one_of({"mma", "wmma", "wgmma", "tcgen05"}))
      out_.tensor = instruction();
    else if (!out_.texture && is_one_of({"tex", "tld4", "txq", "suld", "sust", "sured", "suq"}))
      out_.texture = instruction();
    else if (is_one_of({"call"}) && !out_.kernels.empty())
      note_caller(out_.kernels.back().name);
  }

  void note_caller(const std::string& kernel) {
    if (out_.callers.empty() || out_.callers.back() != kernel) out_.callers.push_back(kernel);
  }

  // nullopt for a name without modifiers. Modifiers may be separated from the opcode: `mma .sync.aligned`.
  std::optional<FoundInstruction> instruction() const {
    FoundInstruction found{std::string(token_.text), token_.place.line};
    TolerantLexer behind = lexer_;
    for (Token next = behind.next(); next.kind == Token::Kind::directive; next = behind.next())
      found.form += "." + std::string(next.text);
    return found.form.find('.') == std::string::npos ? std::nullopt : std::optional(found);
  }

  // An instruction begins after ; { } or a label's colon, and after its predicate; also on a new line,
  // because a .loc directive has no terminator.
  void count_opcode() {
    const bool begins = begins_statement_ || token_.place.line != last_line_;
    const bool is_mark =
        is_symbol(token_, ';') || is_symbol(token_, '{') || is_symbol(token_, '}') || is_symbol(token_, ':');
    if (is_symbol(token_, '@')) {
      in_predicate_ = true;
      return;
    }
    if (in_predicate_) {  // `@%p1` or `@!%p1`
      in_predicate_ = is_symbol(token_, '!');
      begins_statement_ = !in_predicate_;
      return;
    }
    begins_statement_ = is_mark;
    if (!begins || token_.kind != Token::Kind::word || !is_small_letter(token_.text[0])) return;
    TolerantLexer behind = lexer_;
    std::string form(token_.text);
    Token next = behind.next();
    for (; next.kind == Token::Kind::directive; next = behind.next()) form += "." + std::string(next.text);
    if (!is_symbol(next, ':') && form.size() <= kLongestForm) ++out_.opcodes[std::move(form)];
  }

  // `name(.param .u64 .ptr .align 1 a, .param .align 8 .b8 b[24])`
  void kernel() {
    if (token_.kind != Token::Kind::word) return;
    KernelSignature found{std::string(token_.text), {}};
    advance();
    if (is_symbol(token_, '(')) parameters(found.parameters);
    out_.kernels.push_back(std::move(found));
  }

  bool in_parameters() const {
    const auto ends = [&](char c) { return is_symbol(token_, c); };
    return token_.kind != Token::Kind::end && !ends(')') && !ends(';') && !ends('{') && !ends('}');
  }

  void parameters(std::vector<std::string>& types) {
    while (in_parameters()) {
      const bool begins = is_directive(token_, "param");
      advance();
      if (!begins) continue;
      if (is_directive(token_, "align")) {
        advance();
        advance();
      }
      if (token_.kind != Token::Kind::directive) continue;
      std::string type(token_.text);
      while (in_parameters() && !is_symbol(token_, ',') && !is_symbol(token_, '[')) advance();
      if (is_symbol(token_, '[')) {
        advance();
        if (token_.kind == Token::Kind::integer) type += "[" + std::string(token_.text) + "]";
      }
      types.push_back(std::move(type));
    }
  }

  TolerantLexer lexer_;
  Token token_;
  int last_line_ = 0;
  bool in_function_head_ = false, has_function_ = false;
  std::vector<Token> head_;  // tokens of the statement so far, without its initial value
  bool in_initial_value_ = false;
  bool begins_statement_ = true, in_predicate_ = false;
  Summary out_;
};

}  // namespace

Summary summarize(std::string_view text) { return Summarizer(text).run(); }

SourceLocations source_locations(std::string_view text) {
  SourceLocations out;
  TolerantLexer lexer(text);
  Token token = lexer.next();
  const auto number = [](const Token& read) {
    const bool is_short = read.kind == Token::Kind::integer && read.text.size() <= kMostLineDigits;
    return is_short ? decimal(read.text) : std::nullopt;
  };
  while (token.kind != Token::Kind::end) {
    const bool is_loc = is_directive(token, "loc"), is_file = is_directive(token, "file");
    const int ptx_line = token.place.line;
    token = lexer.next();
    if (!is_loc && !is_file) continue;
    const std::optional<std::uint64_t> file = number(token);
    if (!file) continue;
    token = lexer.next();
    if (is_file && token.kind == Token::Kind::string) out.files[*file] = token.text;
    if (is_loc && number(token)) out.locs.push_back({ptx_line, *file, *number(token)});
  }
  return out;
}

std::optional<std::string> without_long_comments(std::string_view text) {
  std::vector<std::string_view> comments;
  TolerantLexer lexer(text, &comments);
  while (lexer.next().kind != Token::Kind::end) {
  }
  std::string changed;
  std::size_t kept = 0;  // end of what is copied already
  for (const std::string_view comment : comments) {
    const auto lines = static_cast<std::size_t>(std::count(comment.begin(), comment.end(), '\n'));
    if (lines == 0) continue;
    const auto begin = static_cast<std::size_t>(comment.data() - text.data());
    changed.append(text.substr(kept, begin - kept)).append(" ").append(lines, '\n');
    kept = begin + comment.size();
  }
  if (kept == 0) return std::nullopt;
  return changed.append(text.substr(kept));
}

bool same_tokens(std::string_view one, std::string_view other) {
  TolerantLexer left(one), right(other);
  int first_left = 0, first_right = 0;  // empty lines in front do not count
  for (;;) {
    const Token a = left.next(), b = right.next();
    if (a.kind == Token::Kind::end || b.kind == Token::Kind::end) return a.kind == b.kind;
    if (first_left == 0) first_left = a.place.line, first_right = b.place.line;
    if (a.kind != b.kind || a.symbol != b.symbol || a.text != b.text) return false;
    if (a.place.line - first_left != b.place.line - first_right) return false;
  }
}

std::uint64_t code_hash(std::string_view text) {
  std::string code;
  TolerantLexer lexer(text);
  for (Token token = lexer.next(); token.kind != Token::Kind::end && !is_directive(token, "section");
       token = lexer.next()) {
    if (is_directive(token, "loc") || is_directive(token, "file")) {
      lexer.skip_line();
      continue;
    }
    code += std::to_string(static_cast<int>(token.kind)) + " " + std::to_string(token.symbol) + " ";
    code.append(token.text).append("\n");
  }
  return std::hash<std::string>()(code);
}

}  // namespace warpgrade::ptx
