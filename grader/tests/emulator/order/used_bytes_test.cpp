#include "order/used_bytes.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("bytes that a copy brought count once, where a kernel reads them") {
  UsedBytes uploads;
  uploads.written(1, {100, 50});
  CHECK(uploads.of(1) == 0);
  uploads.used({120, 10});  // from the middle: the rest waits in two parts
  uploads.used({110, 30});
  CHECK(uploads.of(1) == 30);
  uploads.used({0, 1000});
  uploads.used({0, 1000});
  CHECK(uploads.of(1) == 50);
  CHECK(uploads.of(2) == 0);
}

TEST_CASE("bytes that are overwritten before anybody reads them do not count") {
  UsedBytes uploads;
  uploads.written(1, {100, 50});
  uploads.written(2, {140, 50});
  uploads.overwritten({180, 100});
  uploads.used({0, 1000});
  CHECK(uploads.of(1) == 40);
  CHECK(uploads.of(2) == 40);
}

TEST_CASE("a copy counts as often as it runs, and a kernel that nothing is known of reads all") {
  UsedBytes uploads;
  for (int launch = 0; launch < 3; ++launch) {
    uploads.written(7, {100, 50});
    uploads.used_all();
  }
  CHECK(uploads.of(7) == 150);
}
