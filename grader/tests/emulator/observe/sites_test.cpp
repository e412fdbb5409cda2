#include <doctest/doctest.h>

#include "merging.hpp"

using namespace warpgrade;
using namespace warpgrade::observe;

TEST_CASE("places: inlined functions, and headers of the toolkit") {
  Merging m;
  CHECK(place_of(*m.program, 0).line == 10);
  CHECK(place_of(*m.program, 0).column == 3);
  CHECK(place_of(*m.program, 0).inlined_at.empty());
  CHECK(place_of(*m.program, 3).line == 7);
  CHECK(place_of(*m.program, 3).inlined_at == "/nowhere/kernel.cu:30");
  CHECK(place_of(*m.program, 4).file == "/nowhere/kernel.cu");
  CHECK(place_of(*m.program, 4).line == 40);
  CHECK(access_name(*m.program, 0) == "shared load");
  CHECK(access_name(*m.program, 2) == "shared store");
  CHECK(access_name(*m.program, 4) == "shared atomic");
  CHECK(source_line("/nowhere/kernel.cu", 10).empty());
  CHECK(source_line("/etc/passwd", 1).empty());
}
