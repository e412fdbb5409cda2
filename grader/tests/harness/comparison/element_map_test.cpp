#include "comparison/element_map.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::harness;

static Marks marks(const Shape& shape, const std::vector<std::size_t>& wrong) {
  Marks marks{shape, std::vector<Mark>(element_count(shape))};
  for (const std::size_t i : wrong) marks.values[i] = Mark::wrong;
  return marks;
}

TEST_CASE("one dimension runs in rows of 32 parts, at most 32 of them") {
  CHECK(element_map(marks({5}, {3})) == std::vector<std::string>{"...#."});
  CHECK(element_map(marks({33}, {32})).at(1) == "#");
  const std::vector<std::string> large = element_map(marks({1 << 20}, {(1 << 20) - 1}));
  REQUIRE(large.size() == 32);
  CHECK(large[31] == std::string(31, '.') + "#");
}

TEST_CASE("of three dimensions the slice with the first wrong element is shown") {
  const std::vector<std::string> slice = element_map(marks({3, 2, 4}, {2 * 8 + 5}));
  CHECK(slice == std::vector<std::string>{"....", ".#.."});
}

TEST_CASE("where that slice is wrong as a whole, another slice through the element is shown") {
  std::vector<std::size_t> plane;
  for (std::size_t i = 8; i < 16; ++i) plane.push_back(i);
  CHECK(element_map(marks({3, 2, 4}, plane)) == std::vector<std::string>{"....", "####", "...."});
  CHECK(map_axes(marks({3, 2, 4}, plane)).rows == 0);
  CHECK(map_axes(marks({3, 2, 4}, plane)).columns == 2);
  CHECK(map_axes(marks({3, 2, 4}, {})).rows == 1);
}
