#include "checks/global_race/block_log.hpp"

#include "tests/emulator/support/global_blocks.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// Accesses of two blocks to the same words; those of one block pass through a log.
std::vector<GlobalRaceDetector::BlockFinding> found(bool logged, GlobalAccess access) {
  KernelInfo kernel;
  LaunchRequest request;
  request.kernel = &kernel;
  request.grid = {2, 1, 1};
  request.block = {64, 1, 1};
  DeviceMemory memory(std::size_t{64} << 20);
  Allocation* in = memory.allocate(16384, Allocation::Kind::device, "data");
  std::uint64_t address[32];
  for (unsigned i = 0; i < 32; ++i) address[i] = in->base + 4 * i * (i % 3);
  access.allocation = in;
  for (std::uint64_t& first : access.first) first += in->base;
  if (!access.known()) access.address = address;

  GlobalRaceDetector race(request, memory, 1);
  for (std::uint64_t b = 0; b < 2; ++b) {
    GlobalBlock block;
    race.begin(block, b);
    BlockLog log;
    for (access.event = 1; access.event < 4; ++access.event) {
      if (logged)
        log.access(access), log.block_barrier();
      else
        race.access(block, access), race.block_barrier(block);
    }
    CHECK((log.bytes() != 0) == logged);
    log.replay(race, block);
    CHECK(log.bytes() == 0);
  }
  return race.take_findings();
}

}  // namespace

TEST_CASE("a log replays the accesses unchanged") {
  std::uint16_t hash[32] = {3, 1, 4, 1, 5};
  using enum Access::LanePattern;
  for (const Access::LanePattern first : {packed, uniform, scattered})
    for (const std::uint64_t second : {64u, 128u, 1024u})
      for (const std::uint32_t silent : {0u, 0xff00ff00u}) {
        GlobalAccess access{.first = {0, second}, .hash = hash, .instruction = 7, .warp = 1};
        access.mask = kFullMask;
        access.silent = silent;
        access.kind = Access::Kind::write;
        access.bytes = 4;
        access.half[0] = first;
        access.half[1] = first == scattered ? scattered : packed;
        const auto now = found(false, access), later = found(true, access);
        REQUIRE(now.size() == later.size());
        CHECK(!now.empty());
        for (std::size_t i = 0; i < now.size(); ++i) {
          CHECK(now[i].block == later[i].block);
          CHECK(now[i].order == later[i].order);
          CHECK(now[i].finding.message == later[i].finding.message);
          CHECK(now[i].finding.times == later[i].finding.times);
        }
      }
}
