#include "ptx/parser/initialiser.hpp"

#include <bit>
#include <string>

#include "ptx/parser/constant.hpp"
#include "ptx/parser/declaration.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::size_t kMaxInitialBytes = std::size_t{256} << 20;  // bounds the allocation for hostile input

class InitialiserParser {
 public:
  InitialiserParser(Cursor& cursor, const std::vector<std::size_t>& sizes, Variable& variable)
      : cursor_(cursor),
        sizes_(sizes),
        variable_(variable),
        element_(static_cast<std::size_t>(size_in_bytes(variable.type))) {
    strides_.assign(sizes.size(), 1);  // in elements
    for (std::size_t i = sizes.size(); i-- > 1;) strides_[i - 1] = strides_[i] * sizes[i];
  }

  // Returns the number of rows of the first dimension that the list fills.
  std::size_t list(std::size_t level, std::size_t first);
  void element(std::size_t index);

 private:
  void address(std::size_t index, const Token* mask);
  void symbol(Relocation& relocation);
  void constant(std::size_t index);
  void store(std::size_t index, std::uint64_t bits);
  std::uint64_t real_bits(const Constant& value, TextPosition place) const;

  Cursor& cursor_;
  const std::vector<std::size_t>& sizes_;
  std::vector<std::size_t> strides_;
  Variable& variable_;
  std::size_t element_;
};

std::size_t InitialiserParser::list(std::size_t level, std::size_t first) {
  cursor_.expect('{', "in front of the initial values");
  const bool open_ended = sizes_[level] == 0;
  const bool innermost = level + 1 == sizes_.size();
  std::size_t filled = 0;  // elements of this level, in units of its own stride
  std::size_t loose = 0;   // values without braces of their own, in innermost elements
  while (!cursor_.at('}')) {
    const bool braced = cursor_.at('{');
    if (braced && innermost) cursor_.fail("too many braces: the variable has fewer dimensions");
    const std::size_t at = braced ? filled : loose / strides_[level];
    if (!open_ended && at >= sizes_[level])
      cursor_.fail("more initial values than the variable has elements");
    if (braced) {
      list(level + 1, first + filled * strides_[level]);
      loose = ++filled * strides_[level];
    } else {
      element(first + loose++);
      filled = (loose + strides_[level] - 1) / strides_[level];
    }
    if (!cursor_.accept(',')) break;
  }
  cursor_.expect('}', "behind the initial values");
  return filled;
}

void InitialiserParser::element(std::size_t index) {
  if (cursor_.at_word() && !starts_constant(cursor_.peek())) {
    address(index, nullptr);
    return;
  }
  constant(index);
}

void InitialiserParser::symbol(Relocation& relocation) {
  std::string_view name = cursor_.word("the name of a variable or function");
  if (name == "generic" && cursor_.accept('(')) {
    relocation.generic = true;
    name = cursor_.word("the name of a variable");
    if (cursor_.at('+') || cursor_.at('-')) relocation.addend += parse_offset(cursor_);
    cursor_.expect(')', "behind generic(…");
  }
  relocation.symbol = std::string(name);
  if (cursor_.at('+') || cursor_.at('-')) relocation.addend += parse_offset(cursor_);
}

// `name+4`, `generic(name)`, or with a mask `0xff00(name)`: that byte of the address.
void InitialiserParser::address(std::size_t index, const Token* mask) {
  Relocation relocation;
  relocation.offset = index * element_;
  relocation.bytes = static_cast<int>(element_);
  const TextPosition place = cursor_.place();
  if (mask != nullptr) {
    cursor_.expect('(', "behind the mask");
    relocation.shift = std::countr_zero(mask->bits);
    if (mask->bits == 0 || relocation.shift % 8 != 0 || mask->bits >> relocation.shift != 0xff)
      throw ParseError(mask->place, "a mask selects one byte of an address: 0xff, 0xff00 and so on");
    relocation.bytes = 1;
  }
  symbol(relocation);
  if (mask != nullptr)
    cursor_.expect(')', "behind the masked address");
  else if (element_ != 8 && element_ != 4)
    throw ParseError(place, "an address does not fit into this element: use .u64, or a mask for each byte");
  store(index, 0);
  variable_.relocations.push_back(std::move(relocation));
}

std::uint64_t InitialiserParser::real_bits(const Constant& value, TextPosition place) const {
  if (variable_.type == Type::f64 || (variable_.type == Type::b64 && value.width == 64))
    return value.width == 64 ? value.bits
                             : std::bit_cast<std::uint64_t>(static_cast<double>(
                                   std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
  if (variable_.type == Type::f32 || (variable_.type == Type::b32 && value.width == 32))
    return value.width == 32
               ? value.bits
               : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
  throw ParseError(place, "a real number initialises only .f32 and .f64");
}

void InitialiserParser::constant(std::size_t index) {
  const TextPosition place = cursor_.place();
  Constant value;
  if (cursor_.peek().kind == Token::Kind::integer) {
    // A mask looks like a number until the parenthesis after it.
    const Token token = cursor_.take();
    if (cursor_.at('(')) {
      address(index, &token);
      return;
    }
    value = continue_constant(cursor_, {false, token.is_unsigned, 64, token.bits});
  } else {
    value = parse_constant(cursor_);
  }
  const bool wants_real = variable_.type == Type::f32 || variable_.type == Type::f64;
  if (wants_real && !value.is_real && value.bits != 0)
    throw ParseError(place, "write a real number: 1.0, 0f3F800000 or 0d3FF0000000000000");
  store(index, value.is_real ? real_bits(value, place) : value.bits);
}

void InitialiserParser::store(std::size_t index, std::uint64_t bits) {
  if (index >= kMaxInitialBytes / element_)
    cursor_.fail("this initialiser is larger than 256 MB: fill the variable at run time");
  const std::size_t end = (index + 1) * element_;
  if (variable_.initial.size() < end) variable_.initial.resize(end);
  for (std::size_t i = 0; i < element_ && i < sizeof bits; ++i)
    variable_.initial[index * element_ + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

}  // namespace

void parse_initialiser(Cursor& cursor, std::vector<std::size_t> sizes, Variable& variable) {
  const TextPosition place = cursor.place();
  if (!sizes.empty() && total_bytes(variable.type, {sizes.begin() + 1, sizes.end()}, place) == 0)
    throw ParseError(place, "a variable without elements has no initial value");
  InitialiserParser parser(cursor, sizes, variable);
  if (sizes.empty()) {
    parser.element(0);
  } else {
    const std::size_t rows = parser.list(0, 0);
    if (sizes[0] == 0) sizes[0] = rows;
  }
  variable.bytes = total_bytes(variable.type, sizes, place);
  if (variable.bytes > kMaxInitialBytes)
    throw ParseError(place, "an initialised variable is larger than 256 MB: fill it at run time");
  variable.initial.resize(variable.bytes);
}

}  // namespace warpgrade::ptx
