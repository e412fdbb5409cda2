#include "fatbin/host_memory.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdint>
#include <vector>

using namespace warpgrade;

TEST_CASE("mapped memory can be read, other memory cannot") {
  constexpr std::size_t kPage = 4096, kPages = 1500;  // more than one question of the system
  void* mapped = mmap(nullptr, kPages * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto* at = static_cast<char*>(mapped);
  CHECK(readable(at, kPages * kPage));
  CHECK(readable(at + 17, kPage));
  CHECK(ends_readable(at, kPages * kPage));
  REQUIRE(mprotect(at + 1200 * kPage, kPage, PROT_NONE) == 0);
  CHECK_FALSE(readable(at, kPages * kPage));
  CHECK(readable(at, 1200 * kPage));
  CHECK_FALSE(readable(at, 1200 * kPage + 1));
  CHECK(ends_readable(at, kPages * kPage));
  munmap(mapped, kPages * kPage);
}

TEST_CASE("no bytes can always be read, wild and endless ones never") {
  const std::vector<char> some(10);
  CHECK(readable(nullptr, 0));
  CHECK_FALSE(readable(nullptr, 1));
  CHECK_FALSE(ends_readable(reinterpret_cast<const void*>(8), 4));
  CHECK_FALSE(readable(some.data(), SIZE_MAX));
}
