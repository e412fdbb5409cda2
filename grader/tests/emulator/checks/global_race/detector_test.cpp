#include "checks/global_race/detector.hpp"

#include "tests/emulator/support/global_blocks.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("neither shared reads nor accesses by one thread are a race") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) {
    blocks.data(b, 0, kBlockRead, packed);
    blocks.data(b, 1, kBlockRead, one_word);
    blocks.data(b, 0, kBlockRead, shifted(1024 * (b + 1)));
    blocks.data(b, 0, kBlockWrite, shifted(1024 * (b + 1)));
    blocks.data(b, 0, kBlockRead, shifted(1024 * (b + 1)));
    blocks.barrier(b);
    blocks.data(b, 0, kBlockWrite, shifted(1024 * (b + 1)));
  }
  CHECK(blocks.kinds().empty());
}

TEST_CASE("two blocks are not ordered by their barriers") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.barrier(0);
  blocks.barrier(1);
  blocks.data(1, 0, kBlockRead, packed);
  const auto found = blocks.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FindingKind::global_race);
  CHECK(found[0].times == 32);
  CHECK(found[0].site.block.x == 1);
  CHECK(found[0].site.access == "read");
  CHECK(found[0].other.block.x == 0);
  CHECK(found[0].other.access == "write");
  CHECK(found[0].memory.allocation == "data");
  CHECK(found[0].message ==
        "thread (0,0,0) of block (1,0,0) reads byte 0 of data, which thread (0,0,0) of block (0,0,0) writes, "
        "and "
        "nothing orders two blocks of a launch");
}

TEST_CASE("a write finds an earlier reader, however many there are") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 3; ++b) blocks.data(b, 1, kBlockRead, packed);
  blocks.data(3, 0, kBlockWrite, packed);
  CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
}

TEST_CASE("another launch starts without earlier accesses") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.launch();
  blocks.data(1, 0, kBlockWrite, packed);
  blocks.data(1, 0, kBlockRead, packed);
  CHECK(blocks.kinds().empty());
}

TEST_CASE("the same value is a milder matter") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.data(1, 0, kBlockWrite, packed);
  CHECK(blocks.kinds() == std::vector{FindingKind::global_race_same_value});
  blocks.launch();
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.data(1, 0, {.kind = Access::Kind::write, .instruction = 2, .value = 6}, packed);
  CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
}

TEST_CASE("barriers order a block, partial barriers the lanes that take part") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.barrier(0);
  blocks.data(0, 1, kBlockRead, packed);
  CHECK(blocks.kinds().empty());
  SUBCASE("the next write needs another barrier") {
    blocks.data(0, 0, kBlockWrite, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("and has it") {
    blocks.barrier(0);
    blocks.data(0, 0, kBlockWrite, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("lanes of one warp") {
    blocks.data(0, 0, kBlockWrite, shifted(512));
    blocks.warp_barrier(0, 0xffff);
    blocks.data(0, 0, {.mask = 0xffff}, [](unsigned lane) { return 512 + 4 * (15 - lane); });
    CHECK(blocks.kinds().empty());
    blocks.data(0, 0, {.mask = 0xffff0000}, [](unsigned lane) { return 512 + 4 * (47 - lane); });
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}

TEST_CASE("bytes of one word are checked separately") {
  Blocks blocks;
  const Blocks::How byte{.kind = Access::Kind::write, .instruction = 2, .bytes = 1, .value = 3};
  for (std::uint64_t b = 0; b < 4; ++b) blocks.data(b, 0, byte, [b](unsigned lane) { return 4 * lane + b; });
  CHECK(blocks.kinds().empty());
  blocks.data(1, 0, {.mask = 1}, packed);
  CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
}

TEST_CASE("atomics") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) blocks.data(b, 0, kBlockAtomic, one_word);
  CHECK(blocks.kinds().empty());
  SUBCASE("a plain read beside them") {
    blocks.data(1, 0, {.mask = 1}, one_word);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("a volatile one") {
    blocks.data(1, 0, {.mask = 1, .is_volatile = true}, one_word);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("of the scope of a block") {
    blocks.data(1, 0, {.kind = Access::Kind::atomic, .mask = 1, .of_block = true}, one_word);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}
