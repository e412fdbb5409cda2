#include "ptx/parser/constant.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;

namespace {

Constant fold(const std::string& text) {
  Cursor cursor(text);
  const Constant value = parse_constant(cursor);
  REQUIRE(cursor.at_end());
  return value;
}

std::int64_t value(const std::string& text) { return static_cast<std::int64_t>(fold(text).bits); }

std::string error(const std::string& text) {
  try {
    Cursor cursor(text);
    parse_constant(cursor);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("constants: precedence is that of C") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("1 << 2 + 1") == 8);
  CHECK(value("6 & 3 == 3") == 0);
  CHECK(value("1 | 6 ^ 2 & 3") == 5);
  CHECK(value("0 || 2 && 0") == 0);
  CHECK(value("1 ? 2 : 0 ? 3 : 4") == 2);
  CHECK(value("0 ? 2 : 0 ? 3 : 4") == 4);
  CHECK(value("-2 * -3") == 6);
  CHECK(value("~0") == -1);
  CHECK(value("!5 + !0") == 1);
  CHECK(value("WARP_SZ - 1") == 31);
}

TEST_CASE("constants: signed and unsigned arithmetic differ where C's do") {
  CHECK(value("-7 / 2") == -3);
  CHECK(value("-7 % 2") == -1);
  CHECK(value("-1 < 1") == 1);
  CHECK(value("-1 < 1U") == 0);
  CHECK(value("-8 >> 1") == -4);
  CHECK(fold("0x8000000000000000 >> 63").bits == 1);
  CHECK(value("(.s64) 0x8000000000000000 >> 63") == -1);
  CHECK(value("(.u64) -1 / 2") == INT64_MAX);
  CHECK(value("(0 - 9223372036854775807 - 1) / -1") == INT64_MIN);
  CHECK(value("(0 - 9223372036854775807 - 1) % -1") == 0);
  CHECK(value("1 << 64") == 0);
  CHECK(value("-1 >> 99") == -1);
  CHECK(value("1U >> 64") == 0);
}

TEST_CASE("constants: reals") {
  CHECK(fold("0f3F800000").width == 32);
  CHECK(fold("-0f3F800000").bits == 0xbf800000);
  CHECK(fold("-1.0").bits == 0xbff0000000000000ull);
  CHECK(fold("1.0 + 0.5").bits == 0x3ff8000000000000ull);
  CHECK(value("1.0 < 2.0") == 1);
}

TEST_CASE("constants: errors") {
  CHECK(error("1 / 0").find("ptx:1:3: division by zero") == 0);
  CHECK(error("1 + 1.0").find("do not mix") != std::string::npos);
  CHECK(error("1.0 % 2.0").find("wants integers") != std::string::npos);
  CHECK(error("~1.0").find("~ wants an integer") != std::string::npos);
  CHECK(error("1 +").find("expected a number") != std::string::npos);
  CHECK(error("1 ? 2 3").find("expected ':'") != std::string::npos);
  CHECK(error("(1").find("expected ')'") != std::string::npos);
  CHECK(error(std::string(100000, '(')).find("nested too deeply") != std::string::npos);
  CHECK(error(std::string(100000, '-')).find("nested too deeply") != std::string::npos);
}
