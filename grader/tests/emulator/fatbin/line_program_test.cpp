#include "fatbin/line_program.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace warpgrade::fatbin;
using LineEvent = LineProgram::LineEvent;

namespace {

// Steps of one byte, lines from -3 on, four of them for each step of an address; codes 1 to 9 as the standard
// says.
LineHeader usual_header() {
  const std::string bytes("\x01\x01\xfd\x04\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01", 14);
  DwarfBytes in(bytes);
  return {in, 2};
}

LineProgram program(std::string_view codes) { return {DwarfBytes(codes), usual_header()}; }

}  // namespace

TEST_CASE("a line number program: addresses, lines and the end of a sequence") {
  // An address of 0x1000; special code 0x0a + 4·2 + 3: two on, the same line; two lines on; a row; three on;
  // the end.
  const std::string codes("\x00\x09\x02\x00\x10\x00\x00\x00\x00\x00\x00\x15\x03\x02\x01\x02\x03\x00\x01\x01",
                          20);
  LineProgram tried = program(codes);
  REQUIRE(usual_header().is_possible());
  CHECK(tried.next() == LineEvent::address);
  CHECK(tried.left() == codes.size() - 11);
  CHECK(tried.next() == LineEvent::row);
  CHECK(tried.row().address == 0x1002);
  CHECK(tried.row().line == 1);
  CHECK(tried.next() == LineEvent::other);
  CHECK(tried.next() == LineEvent::row);
  CHECK(tried.row().line == 3);
  CHECK(tried.next() == LineEvent::other);
  CHECK(tried.next() == LineEvent::end);
  CHECK(tried.row().address == 0x1005);
  CHECK(tried.done());
  CHECK_FALSE(tried.failed());
}

TEST_CASE("a line number program that is cut off fails, and a line beyond all bounds does no harm") {
  LineProgram cut = program(std::string_view("\x00\x09\x02\x00\x10", 5));
  while (!cut.done()) cut.next();
  CHECK(cut.failed());
  // Twice the most that nine bytes hold.
  const std::string far = "\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f", both = far + far;
  LineProgram wide = program(both);
  while (!wide.done()) wide.next();
  CHECK(wide.done());
}
