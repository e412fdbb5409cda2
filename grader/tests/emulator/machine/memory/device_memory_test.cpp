#include "machine/memory/device_memory.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include "fatbin/host_memory.hpp"

using warpgrade::ends_readable;
using warpgrade::readable;
using warpgrade::emulator::Allocation;
using warpgrade::emulator::DeviceMemory;
using Kind = Allocation::Kind;
using Freed = DeviceMemory::Freed;

namespace {
constexpr std::size_t kMiB = std::size_t{1} << 20;
void fill(const Allocation& a, int byte) { std::memset(a.data(), byte, a.bytes); }
}  // namespace

TEST_CASE("an allocation is aligned, writable and found at each of its bytes only") {
  DeviceMemory memory(64 * kMiB);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{65536}, 3 * kMiB}) {
    Allocation* a = memory.allocate(bytes, Kind::device, "A");
    REQUIRE(a != nullptr);
    CHECK(a->base % 256 == 0);
    fill(*a, 7);
    CHECK(memory.find(a->base) == a);
    CHECK(memory.find(a->base + bytes - 1) == a);
    CHECK(memory.find(a->base + bytes) == nullptr);
    CHECK(memory.find(a->base - 1) == nullptr);
    CHECK(a->open_begin == a->base);
    CHECK(a->open_end == a->base + bytes);
    CHECK(a->name == "A");
  }
  CHECK(memory.used() == 1 + 1000 + 65536 + 3 * kMiB);
  CHECK(memory.live().size() == 4);
  CHECK(memory.live()[2]->serial == 3);
}

TEST_CASE("the end of one allocation is never the beginning of another") {
  DeviceMemory memory(64 * kMiB);
  Allocation* last = memory.allocate(65536, Kind::device);
  for (int i = 0; i < 50; ++i) {
    Allocation* next = memory.allocate(i % 2 == 0 ? 65536 : 2 * kMiB / 50, Kind::device);
    REQUIRE(next != nullptr);
    CHECK(next->base >= last->base + last->bytes + 256);
    last = next;
  }
}

TEST_CASE("freed memory is remembered and its address is not given out again") {
  DeviceMemory memory(64 * kMiB);
  Allocation* a = memory.allocate(100, Kind::device);
  const std::uint64_t base = a->base;
  CHECK(memory.release(base + 4) == Freed::not_an_allocation);
  CHECK(memory.release(base) == Freed::done);
  CHECK(memory.release(base) == Freed::already_freed);
  CHECK(memory.find(base + 50) == a);
  CHECK(a->freed);
  CHECK(memory.used() == 0);
  CHECK(memory.live().empty());
  for (int i = 0; i < 100; ++i) CHECK(memory.allocate(100, Kind::device)->base != base);
}

TEST_CASE("more than the capacity is refused, and freeing makes room") {
  DeviceMemory memory(8 * kMiB);
  CHECK(memory.allocate(9 * kMiB, Kind::device) == nullptr);
  CHECK(memory.allocate(0, Kind::device) == nullptr);
  Allocation* a = memory.allocate(5 * kMiB, Kind::device);
  REQUIRE(a != nullptr);
  CHECK(memory.allocate(5 * kMiB, Kind::device) == nullptr);
  CHECK(memory.release(a->base) == Freed::done);
  CHECK(memory.allocate(5 * kMiB, Kind::device) != nullptr);
  CHECK(memory.total() == 8 * kMiB);
}

TEST_CASE("addresses are used again once no fresh ones are left") {
  DeviceMemory memory(400 * kMiB);  // 1 GiB of addresses
  const std::uint64_t first = memory.allocate(300 * kMiB, Kind::device)->base;
  CHECK(memory.release(first) == Freed::done);
  bool reused = false;
  for (int i = 0; i < 8; ++i) {
    Allocation* a = memory.allocate(300 * kMiB, Kind::device);
    REQUIRE(a != nullptr);
    std::memset(a->data(), 1, 4096);
    CHECK(memory.find(a->base + 299 * kMiB) == a);
    reused = reused || a->base == first;
    CHECK(memory.release(a->base) == Freed::done);
  }
  CHECK(reused);
}

TEST_CASE("what kernels allocate leaves addresses to modules and to the host") {
  DeviceMemory memory(64 * kMiB);  // 1 GiB of addresses
  memory.set_heap_limit(64 * kMiB);
  int made = 0;
  while (made < 20'000 && memory.allocate(1, Kind::device_heap, "malloc") != nullptr) ++made;
  CHECK(made > 8'000);
  CHECK(made < 20'000);
  for (const Kind kind : {Kind::module_global, Kind::managed, Kind::device})
    CHECK(memory.allocate(8 * kMiB, kind) != nullptr);
  CHECK(memory.allocate(100, Kind::module_constant) != nullptr);
}

TEST_CASE("a heap whose addresses are all used gives those that were freed") {
  DeviceMemory memory(64 * kMiB);
  for (int i = 0; i < 40'000; ++i) {
    const Allocation* made = memory.allocate(16, Kind::device_heap, "malloc");
    REQUIRE(made != nullptr);
    REQUIRE(memory.release(made->base) == Freed::done);
  }
}

TEST_CASE("the nearest allocation is the one with the smaller distance") {
  DeviceMemory memory(64 * kMiB);
  CHECK(memory.nearest(1) == nullptr);
  Allocation* a = memory.allocate(1000, Kind::device);
  Allocation* b = memory.allocate(1000, Kind::device);
  CHECK(memory.nearest(a->base + 1004) == a);
  CHECK(memory.nearest(b->base - 4) == b);
  CHECK(memory.nearest(b->base + 5000) == b);
  CHECK(memory.nearest(0) == a);
  CHECK(memory.nearest(~std::uint64_t{0}) == b);
}

TEST_CASE("twenty thousand small allocations are cheap") {
  DeviceMemory memory(2048 * kMiB);
  std::vector<std::uint64_t> bases;
  for (int i = 0; i < 20000; ++i) {
    Allocation* a = memory.allocate(64, Kind::device);
    REQUIRE(a != nullptr);
    fill(*a, i & 255);
    bases.push_back(a->base);
  }
  for (const std::uint64_t base : bases) REQUIRE(memory.release(base) == Freed::done);
}

TEST_CASE("adopted host memory is found until it is released") {
  DeviceMemory memory(64 * kMiB);
  static char host[4096];
  const auto at = reinterpret_cast<std::uint64_t>(host);
  CHECK(memory.find(at) == nullptr);
  Allocation* a = memory.adopt(at, sizeof host);
  REQUIRE(a != nullptr);
  CHECK(a->kind == Kind::pinned);
  CHECK(memory.find(at + 4095) == a);
  CHECK_FALSE(memory.in_range(at));
  CHECK(memory.adopt(at + 4000, 10) == nullptr);
  CHECK(memory.release(at + 1) == Freed::not_an_allocation);
  CHECK(memory.release(at) == Freed::done);
  CHECK(memory.find(at) == nullptr);
}

TEST_CASE("the host can access shared allocations at the address that kernels use, and nothing else") {
  DeviceMemory memory(64 * kMiB);
  for (const std::size_t bytes : {std::size_t{400}, 3 * kMiB}) {
    for (const Kind shared : {Kind::managed, Kind::pinned}) {
      const Allocation* a = memory.allocate(bytes, shared);
      CHECK(a->shift == 0);
      CHECK(readable(a->data(), bytes));
    }
    for (const Kind closed : {Kind::device, Kind::module_global, Kind::module_constant, Kind::device_heap}) {
      const Allocation* a = memory.allocate(bytes, closed);
      fill(*a, 1);
      CHECK_FALSE(ends_readable(reinterpret_cast<const void*>(a->base), 1));
      CHECK(a->at(a->base + 7) == a->data() + 7);
      CHECK(memory.release(a->base) == Freed::done);
      CHECK_FALSE(ends_readable(reinterpret_cast<const void*>(a->base), 1));
    }
  }
}

TEST_CASE("memory of one sort is never used again for the other") {
  DeviceMemory memory(400 * kMiB);  // 1 GiB of addresses
  for (int i = 0; i < 8; ++i) {
    const Allocation* a = memory.allocate(150 * kMiB, i % 2 == 0 ? Kind::device : Kind::managed);
    REQUIRE(a != nullptr);
    CHECK(readable(reinterpret_cast<const void*>(a->base), 1) == (i % 2 == 1));
    CHECK(memory.release(a->base) == Freed::done);
  }
}

TEST_CASE("look-ups while another thread allocates") {
  DeviceMemory memory(512 * kMiB);
  Allocation* a = memory.allocate(4 * kMiB, Kind::device);
  std::thread other([&] {
    for (int i = 0; i < 2000; ++i) memory.release(memory.allocate(1000, Kind::device)->base);
  });
  for (int i = 0; i < 20000; ++i) REQUIRE(memory.find(a->base + static_cast<std::uint64_t>(i)) == a);
  other.join();
}
