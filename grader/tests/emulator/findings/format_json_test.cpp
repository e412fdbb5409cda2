#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/emulator/support/merging.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("a finding as JSON") {
  Merging m;
  Finding one = race(0, 2, 4);
  one.message = "bytes that are no UTF-8: \xff";
  one.standing.push_back({.warp = 2, .lanes = 0xff, .site = {}, .state = "waits"});
  resolve(one, *m.program);
  const auto json = nlohmann::json::parse(to_json(one, "case \"1\"", 3, "k"));
  CHECK(json.at("label") == "case \"1\"");
  CHECK(json.at("launch") == 3);
  CHECK(json.at("kernel") == "k");
  CHECK(json.at("check") == "race");
  CHECK(json.at("kind") == "race-read-write");
  CHECK(json.at("code") == "WG112");
  CHECK(json.at("severity") == "error");
  CHECK(json.at("file") == "/nowhere/kernel.cu");
  CHECK(json.at("line") == 10);
  CHECK(json.at("block") == nlohmann::json::array({4, 0, 0}));
  CHECK(json.at("other").at("line") == 20);
  CHECK(json.at("memory").is_null());
  CHECK(json.at("standing").at(0).at("lanes") == "0x000000ff");
  CHECK(json.at("times") == 1);
  for (const char* key : {"message", "column", "source", "inlined_at", "thread", "access", "lanes", "help"})
    CHECK(json.contains(key));
  one.has_other = false;
  one.memory = {.space = "shared",
                .address = 64,
                .bytes = 4,
                .allocation = "shared array s",
                .allocation_bytes = 64,
                .distance = 0,
                .relation = Placement::after};
  CHECK_FALSE(json.contains("function"));
  const auto other = nlohmann::json::parse(to_json(one, "", 1, "_ZN5tools4scanIiEEvPi"));
  CHECK(other.at("kernel") == "_ZN5tools4scanIiEEvPi");
  CHECK(other.at("function") == "tools::scan<int>");
  CHECK(other.at("other").is_null());
  CHECK(other.at("memory").at("address") == "0x40");
  CHECK(other.at("memory").at("relation") == "after");
}
