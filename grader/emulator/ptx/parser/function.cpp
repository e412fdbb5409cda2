#include "ptx/parser/function.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "ptx/parser/body.hpp"
#include "ptx/parser/declaration.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::uint64_t kMaxDirectiveValue = 0x7fffffff;

// `.maxntid 128, 1, 1`: absent dimensions are 1.
void parse_dim3(Cursor& cursor, int (&dimensions)[3]) {
  std::fill(std::begin(dimensions), std::end(dimensions), 1);
  for (int i = 0; i < 3; ++i) {
    dimensions[i] = static_cast<int>(cursor.number("a number of threads or blocks", kMaxDirectiveValue));
    if (!cursor.accept(',')) return;
  }
  cursor.fail("at most three numbers stand here");
}

// Directives that do not change what the program computes (11.4, 11.3 and the ABI).
bool parse_ignored(Cursor& cursor, std::string_view name) {
  constexpr std::array<std::string_view, 3> kPlain{"explicitcluster", "blocksareclusters", "unified"};
  constexpr std::array<std::string_view, 4> kNumbered{"maxclusterrank", "maxnctapersm", "abi_preserve",
                                                      "abi_preserve_control"};
  if (std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end()) return true;
  if (std::find(kNumbered.begin(), kNumbered.end(), name) == kNumbered.end()) return false;
  cursor.number("a number", kMaxDirectiveValue);
  return true;
}

void parse_directive(Cursor& cursor, Function& function) {
  const Token token = cursor.take();
  const std::string_view name = token.text;
  if (name == "maxntid") {
    parse_dim3(cursor, function.max_threads);
  } else if (name == "reqntid") {
    parse_dim3(cursor, function.required_threads);
  } else if (name == "reqnctapercluster") {
    parse_dim3(cursor, function.cluster);
  } else if (name == "minnctapersm") {
    function.min_blocks = static_cast<int>(cursor.number("a number of blocks", kMaxDirectiveValue));
  } else if (name == "maxnreg") {
    function.max_registers = static_cast<int>(cursor.number("a number of registers", kMaxDirectiveValue));
  } else if (name == "noreturn") {
    function.noreturn = true;
  } else if (name == "pragma") {
    skip_pragma(cursor);
  } else if (name == "attribute") {
    parse_attribute(cursor);
  } else if (!parse_ignored(cursor, name)) {
    throw ParseError(token.place,
                     "the directive '." + std::string(name.substr(0, 40)) +
                         "' is not known in front of a function's body: compile with CUDA 13 or older");
  }
}

}  // namespace

void skip_pragma(Cursor& cursor) {
  do {
    cursor.string("a pragma");
  } while (cursor.accept(','));
  cursor.expect(';', "behind the pragma");
}

Function parse_function(Cursor& cursor, bool is_entry, const FunctionContext& context) {
  Function function;
  function.is_entry = is_entry;
  if (!is_entry && cursor.accept_directive("attribute")) parse_attribute(cursor);
  if (!is_entry && cursor.at('(')) function.results = parse_parameters(cursor);
  function.place = cursor.place();
  function.name = std::string(cursor.word("the function's name"));
  if (cursor.at('(')) function.parameters = parse_parameters(cursor);
  while (cursor.at_directive()) parse_directive(cursor, function);
  function.is_declaration = !cursor.at('{');
  const auto known = [&](const std::string& name) { return name == function.name || context.known(name); };
  BodyParser body(cursor, context.locations, function, known, context.hoist);
  if (function.is_declaration)
    cursor.expect(';', "or a body in braces behind the function's head");
  else
    body.parse();
  return function;
}

}  // namespace warpgrade::ptx
