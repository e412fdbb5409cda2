// Which flags, fences and locks order the accesses of two blocks.
#include "tests/emulator/support/global_blocks.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("a flag after a fence orders two blocks, including what they had acquired") {
  Blocks blocks;
  blocks.data(0, 1, kBlockWrite, packed);
  SUBCASE("with a barrier before, for the other warp") {
    blocks.barrier(0);
    blocks.fence(0);
    blocks.flag(0, kVolatileWrite);
    blocks.flag(1, kVolatileRead);
    blocks.barrier(1);
    blocks.data(1, 1, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
    blocks.barrier(1);
    blocks.fence(1);
    blocks.flag(1, kBlockAtomic);
    blocks.flag(2, kBlockAtomic);
    blocks.data(2, 0, kBlockWrite, packed);  // after both
    CHECK(blocks.kinds().empty());
    blocks.data(3, 0, kBlockRead, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("without") {
    blocks.fence(0);
    blocks.flag(0, kVolatileWrite);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kBlockRead, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}

TEST_CASE("a flag in shared memory releases accesses before its fence to its block") {
  Blocks blocks;
  SUBCASE("within the block") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.fence(0, true);
    blocks.data(0, 0, kBlockWrite, shifted(1024));  // behind the fence
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
    blocks.data(0, 1, kBlockRead, shifted(1024));
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("another flag") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead, 64);
    blocks.data(0, 1, kBlockRead, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("another block's, of the same offset") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.fence(0);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(1, 0, kVolatileRead);
    blocks.data(1, 0, kBlockRead, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
  SUBCASE("without a fence") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kBlockRead, packed);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}

TEST_CASE("a flag in shared memory releases what was acquired from another block") {
  Blocks blocks;
  SUBCASE("from another block") {
    blocks.data(1, 0, kBlockWrite, packed);
    blocks.fence(1);
    blocks.flag(1, kVolatileWrite);
    blocks.flag(0, kVolatileRead);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("to another block") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kBlockAtomic);
    blocks.shared_flag(0, 1, kBlockAtomic);
    blocks.fence(0, false, 1);
    blocks.flag(0, kVolatileWrite, 1);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("fences before a barrier, and one flag for all behind it") {
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.fence(0);
    blocks.barrier(0);
    blocks.flag(0, kVolatileWrite, 1);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
  }
}

TEST_CASE("who waits at a barrier knows what those knew and had fenced who only arrived") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  blocks.fence(0);
  SUBCASE("what was fenced") {
    blocks.arrival(0, 0);
    blocks.wait(0, 1);
    blocks.flag(0, kVolatileWrite, 1);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
  }
  blocks.flag(0, kVolatileWrite);
  SUBCASE("what was known") {
    blocks.flag(1, kVolatileRead);
    blocks.arrival(1, 0);
    blocks.wait(1, 1);
    blocks.data(1, 1, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("not what was known later, nor do those learn it who arrived") {
    blocks.arrival(1, 0);
    blocks.arrival(2, 1);
    blocks.flag(1, kVolatileRead);
    blocks.flag(2, kVolatileRead);
    blocks.wait(1, 1);
    blocks.wait(2, 0);
    blocks.data(2, 0, kBlockRead, packed);
    CHECK(blocks.kinds().empty());
    SUBCASE("later") { blocks.data(1, 1, kBlockRead, packed); }
    SUBCASE("arrived") { blocks.data(2, 1, kBlockRead, packed); }
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}

TEST_CASE("what does not order two blocks") {
  Blocks blocks;
  blocks.data(0, 0, kBlockWrite, packed);
  SUBCASE("a flag without a fence") { blocks.flag(0, kVolatileWrite); }
  SUBCASE("a fence of the block") {
    blocks.fence(0, true);
    blocks.flag(0, kVolatileWrite);
  }
  SUBCASE("a fence before the write") {
    blocks.fence(0);
    blocks.data(0, 0, kBlockWrite, packed);
    blocks.flag(0, kVolatileWrite);
  }
  blocks.flag(1, kVolatileRead);
  blocks.data(1, 0, kBlockRead, packed);
  CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
}

TEST_CASE("a thread that has read the last write of a flag may reset it") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) {
    blocks.fence(b);
    blocks.flag(b, kBlockAtomic);
  }
  SUBCASE("the last to come") {
    blocks.flag(3, kBlockWrite);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("one before") {
    blocks.flag(2, kBlockWrite);
    CHECK(blocks.kinds() == std::vector{FindingKind::global_race});
  }
}

TEST_CASE("a lock that is taken many times") {
  Blocks blocks;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::uint64_t b = static_cast<std::uint64_t>(turn) % 4;
    blocks.flag(b, kBlockAtomic);
    blocks.data(b, 0, {.mask = 1}, one_word);
    blocks.data(b, 0, {.kind = Access::Kind::write, .mask = 1, .instruction = 2}, one_word);
    blocks.fence(b);
    blocks.flag(b, kBlockAtomic);
  }
  CHECK(blocks.kinds().empty());
}
