#include "checks/global_race/shadow/zero_page_arena.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

#include <cstdint>

using warpgrade::emulator::ZeroPageArena;

TEST_CASE("memory for records is all zero, of the heap, of pages and of large pages") {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{520}, std::size_t{1} << 16, std::size_t{5} << 20}) {
    const ZeroPageArena arena(bytes);
    REQUIRE(arena.as<std::uint64_t>() != nullptr);
    for (std::size_t i = 0; i < bytes / 8; i += 61) CHECK(arena.as<std::uint64_t>()[i] == 0);
    if (bytes != 0) arena.as<std::uint8_t>()[bytes - 1] = 7;
  }
}
