#include "order/computed_bytes.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace warpgrade::emulator;

static std::string in(const ComputedBytes& bytes, std::uint64_t begin, std::uint64_t end) {
  std::string found;
  const AddressRanges ranges = bytes.in({begin, end});
  for (const AddressRange& each : ranges.items())
    found += std::to_string(each.begin) + "-" + std::to_string(each.end) + " ";
  return found;
}

TEST_CASE("bytes are computed that a kernel wrote last") {
  ComputedBytes bytes;
  CHECK(in(bytes, 0, 1000).empty());
  bytes.written({100, 50});
  bytes.written({150, 10});
  bytes.written({300, 10});
  CHECK(in(bytes, 0, 1000) == "100-160 300-310 ");
  CHECK(in(bytes, 110, 120) == "110-120 ");
  bytes.overwritten({120, 10});
  CHECK(in(bytes, 0, 1000) == "100-120 130-160 300-310 ");
  bytes.overwritten({0, 135});
  bytes.overwritten({305, 100});
  CHECK(in(bytes, 0, 1000) == "135-160 300-305 ");
  bytes.written({100, 250});
  CHECK(in(bytes, 0, 1000) == "100-350 ");
}

TEST_CASE("a copy of computed bytes is computed, byte by byte") {
  ComputedBytes bytes;
  bytes.written({100, 50});
  bytes.copied({90, 40}, {200, 40});
  CHECK(in(bytes, 160, 1000) == "210-240 ");
  bytes.copied({500, 20}, {205, 20});  // of others
  CHECK(in(bytes, 160, 1000) == "225-240 ");
  AddressRanges rows;
  rows.append({300, 305});
  rows.append({320, 325});
  bytes.copied({145, 10}, rows);  // the second row is of others
  CHECK(in(bytes, 300, 400) == "300-305 ");
  bytes.copied(rows, {400, 10});
  CHECK(in(bytes, 400, 500) == "400-405 ");
}

TEST_CASE("all bytes count where it is not known what a kernel wrote") {
  ComputedBytes bytes;
  bytes.written_anywhere();
  CHECK(in(bytes, 10, 20) == "10-20 ");
}
