#include "order/uploads.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("bytes that a copy brought count once, where a kernel reads them") {
  Uploads uploads;
  uploads.brought(1, {100, 50});
  CHECK(uploads.bytes_read(1) == 0);
  uploads.read({120, 10});  // from the middle: the rest waits in two parts
  uploads.read({110, 30});
  CHECK(uploads.bytes_read(1) == 30);
  uploads.read({0, 1000});
  uploads.read({0, 1000});
  CHECK(uploads.bytes_read(1) == 50);
  CHECK(uploads.bytes_read(2) == 0);
}

TEST_CASE("bytes that are overwritten before anybody reads them do not count") {
  Uploads uploads;
  uploads.brought(1, {100, 50});
  uploads.brought(2, {140, 50});
  uploads.overwritten({180, 100});
  uploads.read({0, 1000});
  CHECK(uploads.bytes_read(1) == 40);
  CHECK(uploads.bytes_read(2) == 40);
}

TEST_CASE("a copy counts as often as it runs, and a kernel that nothing is known of reads all") {
  Uploads uploads;
  for (int launch = 0; launch < 3; ++launch) {
    uploads.brought(7, {100, 50});
    uploads.read_all();
  }
  CHECK(uploads.bytes_read(7) == 150);
}
