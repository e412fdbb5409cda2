#include "cases/case.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("cases are read in their order, with all 64 bits of the seed") {
  const TemporaryFolder folder;
  std::ofstream(folder / "cases.json") << R"({"lab": "02-tiled", "cases": [
    {"name": "16x8x4-integers", "parameters": {"m": 16, "n": 8, "k": 4}, "values": "integers",
     "seed": "18446744073709551615",
     "arrays": [{"name": "C", "type": "float", "shape": [16, 8], "role": "output"}]},
    {"name": "b", "parameters": {"rows": 1}, "values": "zero-mean", "seed": "0"}]})";
  const CaseList read = read_cases(folder / "cases.json");
  CHECK(read.lab == "02-tiled");
  REQUIRE(read.cases.size() == 2);
  CHECK(read.cases[0].name == "16x8x4-integers");
  CHECK(read.cases[0].parameters.at(1).first == "n");
  CHECK(read.cases[0].parameter("m") == 16);
  CHECK(read.cases[0].parameter("n") == 8);
  CHECK(read.cases[0].parameter("k") == 4);
  CHECK(read.cases[0].seed == 18446744073709551615u);
  REQUIRE(read.cases[0].arrays.size() == 1);
  CHECK(read.cases[0].arrays[0].role == Role::output);
  CHECK(read.cases[0].arrays[0].shape == Shape{16, 8});
  CHECK(read.cases[1].values == "zero-mean");
  CHECK(contains(message_of<DataError>([&] { read.cases[1].parameter("m"); }),
                 "'b' has no parameter called m"));
}

TEST_CASE("what is wrong with cases.json is said with file, case and key") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    std::ofstream(folder / "cases.json") << text;
    return message_of<DataError>([&] { read_cases(folder / "cases.json"); });
  };
  const auto with = [&](const std::string& entry) {
    return complaint(R"({"lab": "x", "cases": [)" + entry + "]}");
  };
  const std::string good = R"({"name": "a", "parameters": {"m": 1}, "values": "integers", "seed": "1"})";

  CHECK(contains(message_of<DataError>([&] { read_cases(folder / "none.json"); }),
                 "none.json: the file is missing"));
  CHECK(contains(complaint("{"), "cases.json: expected {\"lab\""));
  CHECK(contains(complaint("[]"), "expected {\"lab\""));
  CHECK(contains(with("7"), "a case has no name"));
  CHECK(contains(with(R"({"name": "../up"})"), "case '../up': a name has letters"));
  CHECK(contains(with(R"({"name": "a", "m": 1})"), "case 'a' needs parameters = {"));
  CHECK(contains(with(R"({"name": "a", "parameters": {"m": 1, "n": 1.5}})"), "case 'a' needs an integer n"));
  CHECK(contains(with(R"({"name": "a", "parameters": {}, "values": 7})"), "needs a word as its values"));
  CHECK(
      contains(with(R"({"name": "a", "parameters": {}, "values": "integers", "seed": 1})"), "needs a seed"));
  CHECK(contains(with(R"({"name": "a", "parameters": {}, "values": "integers", "seed": "1x"})"),
                 "needs a seed"));
  CHECK(contains(
      with(R"({"name": "a", "parameters": {}, "values": "", "seed": "1", "arrays": [{"name": "x"}]})"),
      "damaged list of arrays"));
  CHECK(contains(with(good + "," + good), "two cases are called 'a'"));
}
