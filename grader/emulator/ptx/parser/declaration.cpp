#include "ptx/parser/declaration.hpp"

#include <bit>
#include <string>

#include "ptx/parser/constant.hpp"
#include "ptx/parser/initialiser.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::size_t kMaxVariableBytes = std::size_t{1} << 40;
constexpr std::size_t kMaxAlignment = std::size_t{1} << 20;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxParameters = 4096;

std::size_t parse_alignment(Cursor& cursor) {
  const TextPosition place = cursor.place();
  const std::uint64_t alignment = cursor.number("an alignment in bytes", kMaxAlignment);
  if (!std::has_single_bit(alignment)) throw ParseError(place, "an alignment is a power of two");
  return alignment;
}

// `.ptr .global .align 16` describes a kernel's pointer parameter; it is ignored.
void skip_pointer_attributes(Cursor& cursor) {
  const Space space = cursor.at_directive() ? space_from_directive(cursor.peek().text) : Space::none;
  if (space != Space::none) cursor.take();
  if (cursor.accept_directive("align")) parse_alignment(cursor);
}

std::vector<std::size_t> parse_dimensions(Cursor& cursor, const DeclarationHead& head) {
  std::vector<std::size_t> sizes;
  while (cursor.accept('[')) {
    if (sizes.size() == kMaxDimensions) cursor.fail("an array has at most 16 dimensions");
    const TextPosition place = cursor.place();
    std::int64_t size = 0;
    if (!cursor.at(']')) {
      size = parse_offset(cursor);
      if (size < 0) throw ParseError(place, "an array's size is not negative");
    } else if (!sizes.empty()) {
      cursor.fail("only the first dimension of an array may be left open");
    }
    cursor.expect(']', "behind the array's size");
    sizes.push_back(static_cast<std::size_t>(size));
  }
  if (head.vector > 1) sizes.push_back(head.vector);
  return sizes;
}

}  // namespace

bool parse_attribute(Cursor& cursor) {
  bool managed = false;
  cursor.expect('(', "behind .attribute");
  for (int depth = 1; depth > 0;) {
    if (cursor.at_end()) cursor.fail("expected ')' behind the attributes");
    if (cursor.at('(')) ++depth;
    if (cursor.at(')')) --depth;
    managed = managed || cursor.at_directive("managed");
    cursor.take();
  }
  return managed;
}

Space space_from_directive(std::string_view name) {
  if (name == "reg") return Space::reg;
  if (name == "param") return Space::param;
  if (name == "global") return Space::global;
  if (name == "shared") return Space::shared;
  if (name == "const") return Space::constant;
  if (name == "local") return Space::local;
  return Space::none;
}

std::size_t total_bytes(Type type, const std::vector<std::size_t>& sizes, TextPosition place) {
  std::size_t bytes = static_cast<std::size_t>(size_in_bytes(type));
  for (const std::size_t size : sizes)
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxVariableBytes)
      throw ParseError(place, "this variable is larger than 1 TB");
  return bytes;
}

DeclarationHead parse_head(Cursor& cursor, Space space) {
  DeclarationHead head;
  head.space = space;
  while (cursor.at_directive()) {
    const Token token = cursor.take();
    const Type type = type_from_name(token.text);
    if (token.text == "align") {
      head.alignment = parse_alignment(cursor);
    } else if (token.text == "v2" || token.text == "v4" || token.text == "v8") {
      head.vector = static_cast<std::size_t>(token.text[1] - '0');
    } else if (token.text == "attribute") {
      head.managed = parse_attribute(cursor) || head.managed;
    } else if (token.text == "ptr") {
      skip_pointer_attributes(cursor);
    } else if (token.text == "texref" || token.text == "samplerref" || token.text == "surfref") {
      throw ParseError(token.place, "texture and surface references are not supported: use texture objects");
    } else if (type == Type::none) {
      throw ParseError(token.place, "'." + std::string(token.text.substr(0, 40)) + "' is not a type");
    } else {
      head.type = type;
    }
  }
  if (head.type == Type::none)
    cursor.fail("a declaration lacks its type: write .b32 or another one in front of the name");
  return head;
}

Variable parse_declarator(Cursor& cursor, const DeclarationHead& head) {
  Variable variable;
  variable.place = cursor.place();
  variable.name = std::string(cursor.word("a variable's name"));
  variable.space = head.space;
  variable.type = head.type;
  variable.managed = head.managed;
  const auto natural = static_cast<std::size_t>(size_in_bytes(head.type)) * head.vector;
  variable.alignment = head.alignment != 0 ? head.alignment : natural;
  const std::vector<std::size_t> sizes = parse_dimensions(cursor, head);
  variable.bytes = total_bytes(head.type, sizes, variable.place);
  if (cursor.at('=')) {
    if (head.space != Space::global && head.space != Space::constant)
      cursor.fail("only .global and .const variables have initial values");
    cursor.take();
    parse_initialiser(cursor, sizes, variable);
  }
  return variable;
}

void parse_variables(Cursor& cursor, Space space, const std::function<void(Variable)>& take) {
  const DeclarationHead head = parse_head(cursor, space);
  do {
    take(parse_declarator(cursor, head));
  } while (cursor.accept(','));
  cursor.expect(';', "behind the declaration");
}

std::vector<Variable> parse_parameters(Cursor& cursor) {
  std::vector<Variable> parameters;
  cursor.expect('(', "in front of the parameters");
  while (!cursor.at(')')) {
    if (parameters.size() == kMaxParameters) cursor.fail("a function has at most 4,096 parameters");
    const Space space = cursor.at_directive() ? space_from_directive(cursor.peek().text) : Space::none;
    if (space != Space::param && space != Space::reg) cursor.fail("expected .param in front of a parameter");
    cursor.take();
    parameters.push_back(parse_declarator(cursor, parse_head(cursor, space)));
    if (!cursor.accept(',')) break;
  }
  cursor.expect(')', "behind the parameters");
  return parameters;
}

}  // namespace warpgrade::ptx
