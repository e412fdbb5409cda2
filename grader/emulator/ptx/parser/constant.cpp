#include "ptx/parser/constant.hpp"

#include <bit>

#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr int kMaxNesting = 64;
constexpr std::uint64_t kWarpSize = 32;  // WARP_SZ, PTX ISA 4.4

Constant integer(std::uint64_t bits, bool is_unsigned) { return {false, is_unsigned, 64, bits}; }
Constant boolean(bool value) { return integer(value ? 1 : 0, false); }
Constant real(double value) { return {true, false, 64, std::bit_cast<std::uint64_t>(value)}; }

double as_double(const Constant& c) {
  if (!c.is_real)
    return c.is_unsigned ? static_cast<double>(c.bits)
                         : static_cast<double>(std::bit_cast<std::int64_t>(c.bits));
  if (c.width == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(c.bits));
  return std::bit_cast<double>(c.bits);
}

bool truth(const Constant& c) { return c.is_real ? as_double(c) != 0 : c.bits != 0; }

int precedence(const Token& token) {
  if (token.kind != Token::Kind::symbol) return 0;
  switch (token.symbol) {
    case '*':
    case '/':
    case '%':
      return 10;
    case '+':
    case '-':
      return 9;
    case two('<', '<'):
    case two('>', '>'):
      return 8;
    case '<':
    case '>':
    case two('<', '='):
    case two('>', '='):
      return 7;
    case two('=', '='):
    case two('!', '='):
      return 6;
    case '&':
      return 5;
    case '^':
      return 4;
    case '|':
      return 3;
    case two('&', '&'):
      return 2;
    case two('|', '|'):
      return 1;
    default:
      return 0;
  }
}

class ConstantParser {
 public:
  explicit ConstantParser(Cursor& cursor) : cursor_(cursor) {}
  // `first`: the leftmost number where the caller has consumed it, else null.
  Constant ternary(const Constant* first = nullptr);

 private:
  Constant binary(int least, const Constant* first);
  Constant unary();
  Constant primary();
  Constant parenthesis();
  Constant apply(const Token& op, const Constant& a, const Constant& b) const;
  Constant apply_real(const Token& op, double a, double b) const;
  Constant apply_integer(const Token& op, const Constant& a, const Constant& b) const;
  Constant divide(const Token& op, const Constant& a, const Constant& b, bool is_unsigned) const;

  struct Depth {
    ConstantParser& parser;
    explicit Depth(ConstantParser& p) : parser(p) {
      if (++p.depth_ > kMaxNesting)
        p.cursor_.fail("this constant expression is nested too deeply: simplify it");
    }
    ~Depth() { --parser.depth_; }
  };
  Cursor& cursor_;
  int depth_ = 0;
};

Constant ConstantParser::ternary(const Constant* first) {
  const Depth depth(*this);
  const Constant condition = binary(1, first);
  if (!cursor_.accept('?')) return condition;
  const Constant yes = ternary();
  cursor_.expect(':', "between the two values of ?:");
  const Constant no = ternary();
  return truth(condition) ? yes : no;
}

Constant ConstantParser::binary(int least, const Constant* first) {
  const Depth depth(*this);
  Constant left = first != nullptr ? *first : unary();
  for (;;) {
    const int level = precedence(cursor_.peek());
    if (level == 0 || level < least) return left;
    const Token op = cursor_.take();
    left = apply(op, left, binary(level + 1, nullptr));
  }
}

Constant ConstantParser::unary() {
  const Depth depth(*this);
  if (cursor_.accept('+')) return unary();
  if (cursor_.accept('-')) {
    Constant value = unary();
    if (value.is_real)
      value.bits ^= std::uint64_t{1} << (value.width - 1);
    else
      value.bits = ~value.bits + 1;
    return value;
  }
  const bool complement = cursor_.at('~');
  if (!complement && !cursor_.at('!')) return primary();
  const Token op = cursor_.take();
  const Constant value = unary();
  if (complement && value.is_real) throw ParseError(op.place, "~ wants an integer");
  return complement ? integer(~value.bits, value.is_unsigned) : boolean(!truth(value));
}

Constant ConstantParser::primary() {
  const Token& token = cursor_.peek();
  if (token.kind == Token::Kind::integer) {
    const Token taken = cursor_.take();
    return integer(taken.bits, taken.is_unsigned);
  }
  if (token.kind == Token::Kind::real) {
    const Token taken = cursor_.take();
    return {true, false, taken.width, taken.bits};
  }
  if (token.kind == Token::Kind::word && token.text == "WARP_SZ") {
    cursor_.take();
    return integer(kWarpSize, false);
  }
  if (cursor_.at('(')) return parenthesis();
  cursor_.fail("expected a number or a constant expression");
}

// `( expression )`, or one of the casts `(.s64) x` and `(.u64) x`.
Constant ConstantParser::parenthesis() {
  cursor_.take();
  if (cursor_.at_directive("s64") || cursor_.at_directive("u64")) {
    const bool is_unsigned = cursor_.take().text == "u64";
    cursor_.expect(')', "behind the cast's type");
    const Constant value = unary();
    if (value.is_real) cursor_.fail("a cast wants an integer");
    return integer(value.bits, is_unsigned);
  }
  const Constant value = ternary();
  cursor_.expect(')', "at the end of the constant expression");
  return value;
}

Constant ConstantParser::apply(const Token& op, const Constant& a, const Constant& b) const {
  if (op.symbol == two('&', '&')) return boolean(truth(a) && truth(b));
  if (op.symbol == two('|', '|')) return boolean(truth(a) || truth(b));
  if (a.is_real != b.is_real)
    throw ParseError(op.place, "integers and reals do not mix in a constant expression");
  return a.is_real ? apply_real(op, as_double(a), as_double(b)) : apply_integer(op, a, b);
}

Constant ConstantParser::apply_real(const Token& op, double a, double b) const {
  switch (op.symbol) {
    case '+':
      return real(a + b);
    case '-':
      return real(a - b);
    case '*':
      return real(a * b);
    case '/':
      return real(a / b);
    case '<':
      return boolean(a < b);
    case '>':
      return boolean(a > b);
    case two('<', '='):
      return boolean(a <= b);
    case two('>', '='):
      return boolean(a >= b);
    case two('=', '='):
      return boolean(a == b);
    case two('!', '='):
      return boolean(a != b);
    default:
      throw ParseError(op.place, "this operator wants integers");
  }
}

Constant ConstantParser::divide(const Token& op, const Constant& a, const Constant& b,
                                bool is_unsigned) const {
  if (b.bits == 0) throw ParseError(op.place, "division by zero in a constant expression");
  const bool quotient = op.symbol == '/';
  if (is_unsigned) return integer(quotient ? a.bits / b.bits : a.bits % b.bits, true);
  if (b.bits == ~std::uint64_t{0})
    return integer(quotient ? ~a.bits + 1 : 0, false);  // the least one / -1 is undefined in C++
  const auto x = std::bit_cast<std::int64_t>(a.bits);
  const auto y = std::bit_cast<std::int64_t>(b.bits);
  return integer(std::bit_cast<std::uint64_t>(quotient ? x / y : x % y), false);
}

static Constant compare(const Token& op, const Constant& a, const Constant& b, bool is_unsigned) {
  const bool less = is_unsigned ? a.bits < b.bits
                                : std::bit_cast<std::int64_t>(a.bits) < std::bit_cast<std::int64_t>(b.bits);
  switch (op.symbol) {
    case '<':
      return boolean(less);
    case '>':
      return boolean(!less && a.bits != b.bits);
    case two('<', '='):
      return boolean(less || a.bits == b.bits);
    case two('>', '='):
      return boolean(!less);
    case two('=', '='):
      return boolean(a.bits == b.bits);
    default:
      return boolean(a.bits != b.bits);
  }
}

Constant ConstantParser::apply_integer(const Token& op, const Constant& a, const Constant& b) const {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  switch (op.symbol) {
    case '+':
      return integer(a.bits + b.bits, is_unsigned);
    case '-':
      return integer(a.bits - b.bits, is_unsigned);
    case '*':
      return integer(a.bits * b.bits, is_unsigned);
    case '/':
    case '%':
      return divide(op, a, b, is_unsigned);
    case '&':
      return integer(a.bits & b.bits, is_unsigned);
    case '|':
      return integer(a.bits | b.bits, is_unsigned);
    case '^':
      return integer(a.bits ^ b.bits, is_unsigned);
    case two('<', '<'):
      return integer(b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned);
    case two('>', '>'): {
      const std::uint64_t by = b.bits > 63 ? 63 : b.bits;
      if (!a.is_unsigned)
        return integer(std::bit_cast<std::uint64_t>(std::bit_cast<std::int64_t>(a.bits) >> by), false);
      return integer(b.bits > 63 ? 0 : a.bits >> by, true);
    }
    default:
      return compare(op, a, b, is_unsigned);
  }
}

}  // namespace

bool starts_constant(const Token& token) {
  switch (token.kind) {
    case Token::Kind::integer:
    case Token::Kind::real:
      return true;
    case Token::Kind::word:
      return token.text == "WARP_SZ";
    case Token::Kind::symbol:
      return token.symbol == '-' || token.symbol == '+' || token.symbol == '~' || token.symbol == '(';
    default:
      return false;
  }
}

Constant parse_constant(Cursor& cursor) { return ConstantParser(cursor).ternary(); }

Constant continue_constant(Cursor& cursor, const Constant& first) {
  return ConstantParser(cursor).ternary(&first);
}

std::int64_t parse_offset(Cursor& cursor) {
  const TextPosition place = cursor.place();
  const Constant value = parse_constant(cursor);
  if (value.is_real) throw ParseError(place, "an address offset is an integer");
  return std::bit_cast<std::int64_t>(value.bits);
}

}  // namespace warpgrade::ptx
