#include "ptx/parser/locations.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;

namespace {

// `text` is a literal: the table keeps views of it.
std::int32_t place(Locations& locations, const char* text) {
  Cursor cursor(text);
  const std::int32_t index = locations.parse_location(cursor);
  CHECK(cursor.at_end());
  return index;
}

}  // namespace

TEST_CASE("locations: a call site is the last place that reads the same") {
  Module module;
  Locations locations(module);
  const std::int32_t outer = place(locations, "1 10 2");
  const std::int32_t middle = place(locations, "2 20 3, function_name n0, inlined_at 1 10 2");
  const std::int32_t inner = place(locations, "3 30 4, function_name n1, inlined_at 2 20 3");
  CHECK(module.locations[static_cast<std::size_t>(inner)].inlined_at == middle);
  CHECK(module.locations[static_cast<std::size_t>(middle)].inlined_at == outer);
  CHECK(module.locations[static_cast<std::size_t>(outer)].inlined_at == -1);
  CHECK(place(locations, "3 30 4, function_name n1, inlined_at 2 20 3") == inner);
  CHECK(module.locations.size() == 3);

  // In another function the same call site is not inlined.
  locations.begin_function();
  const std::int32_t again = place(locations, "3 30 4, function_name n1, inlined_at 2 20 3");
  const std::int32_t site = module.locations[static_cast<std::size_t>(again)].inlined_at;
  CHECK(site != middle);
  CHECK(module.locations[static_cast<std::size_t>(site)].inlined_at == -1);
}

TEST_CASE("locations: a place that is inlined into itself makes no circle") {
  Module module;
  Locations locations(module);
  for (int i = 0; i < 3; ++i) place(locations, "1 1 1, function_name n, inlined_at 1 1 1");
  for (std::size_t i = 0; i < module.locations.size(); ++i)
    CHECK(module.locations[i].inlined_at < static_cast<std::int32_t>(i));
}

TEST_CASE("locations: names come from labels, and stay empty without one") {
  Module module;
  Locations locations(module);
  place(locations, "1 1 1, function_name known+0, inlined_at 1 2 3");
  place(locations, "1 1 2, function_name unknown, inlined_at 1 2 3");
  locations.name_label("known", "_Z5innerv");
  locations.resolve_names();
  CHECK(module.locations[1].function == "_Z5innerv");
  CHECK(module.locations[2].function.empty());
}

TEST_CASE("locations: errors") {
  Module module;
  Locations locations(module);
  for (const std::string text : {"1", "1 2", "1 2 x", "1 2 3,", "1 2 3, frob 4", "99999999999 1 1"}) {
    CAPTURE(text);
    Cursor cursor(text);
    CHECK_THROWS_AS(locations.parse_location(cursor), ParseError);
  }
}

TEST_CASE("locations: lines and columns beyond the last number are the last one") {
  Module module;
  Locations locations(module);
  place(locations, "1 2147483648 18446744073709551615, function_name n, inlined_at 2 4294967295 3");
  CHECK(module.locations[0].line == 2147483647);
  CHECK(module.locations[1].line == 2147483647);
  CHECK(module.locations[1].column == 2147483647);
}
