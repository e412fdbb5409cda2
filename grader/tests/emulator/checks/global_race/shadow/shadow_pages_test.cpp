#include "checks/global_race/shadow/shadow_pages.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("pages come when they are touched, of words until a part of one is accessed") {
  ShadowPages shadow(3 * ShadowPages::kPage);
  ShadowPages::Page& page = shadow.page(ShadowPages::kPage + 8);
  CHECK(&page == &shadow.page(2 * ShadowPages::kPage - 1));
  CHECK(page.last == nullptr);
  REQUIRE(shadow.keep_units(page, 2));
  CHECK(page.shift == 2);
  CHECK(page.since == nullptr);
  page.last[2] = 77;
  REQUIRE(shadow.keep_units(page, 2));
  CHECK(page.last[2] == 77);
  REQUIRE(shadow.keep_units(page, 0));
  CHECK(page.shift == 0);
  for (int byte = 8; byte < 12; ++byte) CHECK(page.last[byte] == 77);
  CHECK(page.last[12] == 0);
  REQUIRE(shadow.keep_units(page, 2));  // bytes serve words, too
  CHECK(page.shift == 0);
  REQUIRE(shadow.keep_readers(page));
  CHECK(page.since[4095] == 0);
}

TEST_CASE("rows lie side by side, and so do the values of those who wrote them") {
  ShadowPages shadow(3 * ShadowPages::kPage);
  CHECK(shadow.rows(63) == shadow.rows(0));
  CHECK(shadow.rows(127) == shadow.rows(0) + 1);
  CHECK(shadow.rows(3 * ShadowPages::kPage - 1) == shadow.rows(0) + 3 * 64 - 1);
  CHECK(shadow.values(127) == shadow.values(0) + ShadowPages::kRowWords);
  CHECK(*shadow.rows(2 * ShadowPages::kPage) == 0);
}
