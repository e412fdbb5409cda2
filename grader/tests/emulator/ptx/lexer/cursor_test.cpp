#include "ptx/lexer/cursor.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;

TEST_CASE("cursor: questions do not move it, answers do") {
  Cursor cursor("a .reg 5 \"s\" ;");
  CHECK(cursor.at_word());
  CHECK_FALSE(cursor.accept(';'));
  CHECK(cursor.word("a name") == "a");
  CHECK_FALSE(cursor.accept_directive("global"));
  CHECK(cursor.accept_directive("reg"));
  CHECK(cursor.number("a number", 5) == 5);
  CHECK(cursor.string("a string") == "s");
  cursor.expect(';', "at the end");
  CHECK(cursor.at_end());
  CHECK(cursor.take().kind == Token::Kind::end);
}

TEST_CASE("cursor: what it expected and what it found are in the message") {
  Cursor cursor(".reg");
  CHECK_THROWS_WITH_AS(cursor.word("a name"), "ptx:1:1: expected a name, found '.reg'", ParseError);
  Cursor large("6");
  CHECK_THROWS_WITH_AS(large.number("a count", 5), "ptx:1:1: a count is larger than 5", ParseError);
  Cursor end("");
  CHECK_THROWS_WITH_AS(end.expect(';', "here"), "ptx:1:1: expected ';' here, found the end of the text",
                       ParseError);
  const std::string text(1000, 'x');
  Cursor long_one(text);
  CHECK_THROWS_WITH_AS(long_one.expect(';', "here"),
                       ("ptx:1:1: expected ';' here, found '" + std::string(40, 'x') + "'").c_str(),
                       ParseError);
}

TEST_CASE("cursor: skip_line drops the rest of the line") {
  Cursor cursor("@@DWARF .byte 1\nnext");
  cursor.skip_line();
  CHECK(cursor.word("a name") == "next");
}
