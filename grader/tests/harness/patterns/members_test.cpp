#include "patterns/members.hpp"

#include <doctest/doctest.h>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

TEST_CASE("structs that are right with their members in another order") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View places = data.output<std::int32_t>("places", {6, 3});
  for (int i = 0; i < 6; ++i)
    for (int member = 0; member < 3; ++member) places(i, member) = 7 * i * i + 100 * member + 3 * i;
  const Array right = right_result(data, "places");
  const auto pattern = [&](const Array& result) {
    return find_pattern(data, result, judge(data, result), {});
  };
  Array turned = put_back(right, {1, 2, 0});
  const Pattern found = pattern(turned);
  CHECK(found.name == "members-exchanged");
  CHECK(found.words ==
        "the numbers of each places[·] are right, but stand in the order 1, 2, 0, counted from 0");
  turned.data<std::int32_t>()[4] += 1;
  CHECK(pattern(turned).name != "members-exchanged");
}

TEST_CASE("arrays of more members, and of none, have no orders") {
  CHECK(other_orders({8}).empty());
  CHECK(other_orders({8, 5}).empty());
  CHECK(other_orders({8, 4}).size() == 23);
}
