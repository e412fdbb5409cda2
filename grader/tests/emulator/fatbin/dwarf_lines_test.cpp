#include "fatbin/dwarf_lines.hpp"

#include <doctest/doctest.h>

#include "fatbin/container.hpp"

using namespace warpgrade::fatbin;

namespace {

// A table of one sequence: version 2, lines −5 to 8 and addresses of one byte a special code, first code 10.
std::string table(const std::string& program) {
  const std::string header("\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00", 16);
  std::string unit("\x02\x00\x10\x00\x00\x00", 6);
  unit += header + program;
  std::string all(4, '\0');
  all[0] = static_cast<char>(unit.size());
  return all + unit;
}
// DW_LNE_set_address 0; its operand stands 3 bytes behind the program's begin.
std::string set_address() { return std::string("\x00\x09\x02", 3) + std::string(8, '\0'); }
constexpr std::uint64_t kOperand = 4 + 6 + 16 + 3;

}  // namespace

TEST_CASE("lines of a table's program") {
  // Line 11 at 0; 16 bytes on, line 9; a special code: one byte and two lines on.
  const std::string program =
      set_address() + std::string("\x03\x0a\x01", 3) + std::string("\x02\x10\x03\x7e\x01", 5) + "\x1f";
  const auto found = read_line_table(table(program), {{kOperand, 7}});
  REQUIRE(found.count(7) == 1);
  const Lines& lines = found.at(7);
  CHECK(line_of(lines, 0) == 11);
  CHECK(line_of(lines, 15) == 11);
  CHECK(line_of(lines, 16) == 9);
  CHECK(line_of(lines, 17) == 11);
  CHECK(line_of(lines, 1000) == 11);
  CHECK(line_of({}, 0) == 0);
}

TEST_CASE("addresses of a section that nobody knows are left out") {
  CHECK(read_line_table(table(set_address() + "\x01"), {}).empty());
}

TEST_CASE("a table that is cut off is refused") {
  const std::string whole = table(set_address() + "\x01");
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    CHECK_THROWS_AS(read_line_table(whole.substr(0, bytes), {}), FormatError);
}
