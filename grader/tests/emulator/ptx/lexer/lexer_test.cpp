#include "ptx/lexer/lexer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;
using Kind = Token::Kind;

namespace {

std::vector<Token> tokens(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> all;
  for (Token token = lexer.next(); token.kind != Kind::end; token = lexer.next()) all.push_back(token);
  return all;
}

Token only(std::string_view text) {
  const std::vector<Token> all = tokens(text);
  REQUIRE(all.size() == 1);
  return all[0];
}

std::string error(std::string_view text) {
  try {
    tokens(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("lexer: a word includes suffixes after dots and double colons") {
  for (const std::string word : {"ld.global.v4.f32", "%tid.x", "$L__BB0_1", "tex.2d.v4", "_", "%p1", "a$b_c",
                                 "cp.async.bulk.shared::cluster.mbarrier::complete_tx::bytes"}) {
    CAPTURE(word);
    CHECK(only(word).kind == Kind::word);
    CHECK(only(word).text == word);
  }
  const std::vector<Token> label = tokens("prototype_1 : .callprototype done: ret;");
  REQUIRE(label.size() == 7);
  CHECK(label[0].text == "prototype_1");
  CHECK(label[2].kind == Kind::directive);
  CHECK(label[3].text == "done");
}

TEST_CASE("lexer: a directive ends at the next dot") {
  const std::vector<Token> all = tokens(".reg.b32 .shared::cta");
  REQUIRE(all.size() == 3);
  CHECK(all[0].text == "reg");
  CHECK(all[1].text == "b32");
  CHECK(all[2].text == "shared::cta");
}

TEST_CASE("lexer: integers in all bases") {
  CHECK(only("42").bits == 42);
  CHECK(only("0").bits == 0);
  CHECK(only("0x2aU").bits == 42);
  CHECK(only("0x2aU").is_unsigned);
  CHECK(only("0XFF").bits == 255);
  CHECK(only("052").bits == 42);
  CHECK(only("0b101").bits == 5);
  CHECK_FALSE(only("9223372036854775807").is_unsigned);
  CHECK(only("9223372036854775808").is_unsigned);
  CHECK(only("18446744073709551615").bits == ~0ull);
}

TEST_CASE("lexer: reals by their bits and as decimals") {
  CHECK(only("0f3F800000").bits == 0x3f800000);
  CHECK(only("0f3F800000").width == 32);
  CHECK(only("0d400921F9F01B866E").bits == 0x400921f9f01b866eull);
  CHECK(only("0d400921F9F01B866E").width == 64);
  CHECK(only("1.5").bits == 0x3ff8000000000000ull);
  CHECK(only("2e3").bits == 0x409f400000000000ull);
  CHECK(only("9.0").text == "9.0");
}

TEST_CASE("lexer: a string ends at the next quote, as ptxas reads it") {
  CHECK(only(R"("a\b")").text == R"(a\b)");
  const auto found = tokens(R"(.pragma "\"; add; "x")");
  REQUIRE(found.size() == 6);
  CHECK(found[1].text == "\\");
  CHECK(found[3].text == "add");
  const auto lines = tokens("\"a\n// b\" c");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == "a\n// b");
  CHECK(lines[1].place.line == 2);
}

TEST_CASE("lexer: comments and lines are counted") {
  const std::vector<Token> all = tokens("a // b\n/* c\n d */ e\r\n  f");
  REQUIRE(all.size() == 3);
  CHECK(all[1].place.line == 3);
  CHECK(all[1].place.column == 7);
  CHECK(all[2].place.line == 4);
  CHECK(all[2].place.column == 3);
}

TEST_CASE("lexer: operators of two characters are one token") {
  const std::vector<Token> all = tokens("<< >= | || ! !=");
  REQUIRE(all.size() == 6);
  CHECK(all[0].symbol == two('<', '<'));
  CHECK(all[1].symbol == two('>', '='));
  CHECK(all[2].symbol == '|');
  CHECK(all[3].symbol == two('|', '|'));
  CHECK(all[5].symbol == two('!', '='));
}

TEST_CASE("lexer: an invalid character is reported with its position") {
  CHECK(error("a\n  #") == "ptx:2:3: a character that PTX does not have stands here");
  CHECK(error("/* a").find("ptx:1:1: this comment has no end") == 0);
  CHECK(error("x \"a\nb").find("ptx:1:3: this string has no end") == 0);
  CHECK(error("99999999999999999999").find("does not fit into 64 bits") != std::string::npos);
  CHECK(error("0xg").find("digits are missing") != std::string::npos);
  CHECK(error("12ab").find("neither a number nor a name") != std::string::npos);
  CHECK(error("0f3F80").find("neither a number nor a name") != std::string::npos);
  CHECK(error(std::string_view("\0", 1)).find("a character that PTX does not have") != std::string::npos);
  CHECK(error("%").find("no error") == 0);
  CHECK(error("1e999").find("too large or too small") != std::string::npos);
}
