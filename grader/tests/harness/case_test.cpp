#include "case.hpp"

#include <doctest/doctest.h>

#include "errors.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("cases come back from cases.json as they were, with all 64 bits of the seed") {
  const TemporaryFolder folder;
  const CaseList written{"02-tiled",
                         {{"16x8x4-integers", 16, 8, 4, Values::integers, 18446744073709551615u},
                          {"b", 1, 2, 3, Values::zero_mean, 0}}};
  write_cases(folder / "cases.json", written);
  const CaseList read = read_cases(folder / "cases.json");
  CHECK(read.lab == "02-tiled");
  REQUIRE(read.cases.size() == 2);
  CHECK(read.cases[0].name == "16x8x4-integers");
  CHECK(read.cases[0].m == 16);
  CHECK(read.cases[0].n == 8);
  CHECK(read.cases[0].k == 4);
  CHECK(read.cases[0].seed == 18446744073709551615u);
  CHECK(read.cases[1].values == Values::zero_mean);
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
  const std::string good = R"({"name": "a", "m": 1, "n": 1, "k": 1, "values": "integers", "seed": "1"})";

  CHECK(contains(message_of<DataError>([&] { read_cases(folder / "none.json"); }),
                 "none.json: the file is missing"));
  CHECK(contains(complaint("{"), "cases.json: expected {\"lab\""));
  CHECK(contains(complaint("[]"), "expected {\"lab\""));
  CHECK(contains(with("7"), "a case has no name"));
  CHECK(contains(with(R"({"name": "../up"})"), "case '../up': a name has letters"));
  CHECK(contains(with(R"({"name": "a", "m": 0})"), "case 'a' needs an integer m from 1"));
  CHECK(contains(with(R"({"name": "a", "m": 1, "n": 1.5})"), "case 'a' needs an integer n"));
  CHECK(contains(with(R"({"name": "a", "m": 1, "n": 1, "k": 70000})"), "integer k from 1 to 65536"));
  CHECK(contains(with(R"({"name": "a", "m": 1, "n": 1, "k": 1, "values": "nice"})"), "needs values ="));
  CHECK(contains(with(R"({"name": "a", "m": 1, "n": 1, "k": 1, "values": "integers", "seed": 1})"),
                 "needs a seed"));
  CHECK(contains(with(R"({"name": "a", "m": 1, "n": 1, "k": 1, "values": "integers", "seed": "1x"})"),
                 "needs a seed"));
  CHECK(contains(with(good + "," + good), "two cases are called 'a'"));
}
