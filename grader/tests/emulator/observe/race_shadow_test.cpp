#include "observe/race_shadow.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::observe;

TEST_CASE("pages come when they are touched, of words until a part of one is accessed") {
  RaceShadow shadow(3 * RaceShadow::kPage);
  RaceShadow::Page* page = shadow.page(RaceShadow::kPage + 8, 2);
  REQUIRE(page != nullptr);
  CHECK(page->shift == 2);
  CHECK(page->since == nullptr);
  page->last[2] = 77;
  CHECK(shadow.page(RaceShadow::kPage + 12, 2) == page);
  REQUIRE(shadow.page(RaceShadow::kPage, 0) == page);
  CHECK(page->shift == 0);
  for (int byte = 8; byte < 12; ++byte) CHECK(page->last[byte] == 77);
  CHECK(page->last[12] == 0);
  CHECK(shadow.page(RaceShadow::kPage, 2) == page);  // bytes serve words, too
  REQUIRE(shadow.keep_readers(*page));
  CHECK(page->since[4095] == 0);
}
