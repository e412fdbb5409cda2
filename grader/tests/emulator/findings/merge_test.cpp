#include <doctest/doctest.h>

#include "tests/emulator/support/merging.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("the lowest block's finding stands for all of its line, whatever worker had it") {
  Merging m;
  using Blocks = std::vector<Observers::BlockFindings>;
  const Blocks one = {{7, {finding(FindingKind::uninitialised_read, 1, 7, 2)}},
                      {9, {finding(FindingKind::uninitialised_read, 0, 9)}}};
  const Blocks two = {{3, {finding(FindingKind::uninitialised_read, 2, 3, 5)}},
                      {8, {finding(FindingKind::misaligned, 0, 8)}}};
  for (const auto& workers : {std::vector<Blocks>{one, two}, {two, one}}) {
    const std::vector<Finding> all = merge(workers, 100, *m.program);
    REQUIRE(all.size() == 3);
    CHECK(all[0].site.block.x == 3);
    CHECK(all[0].site.line == 20);
    CHECK(all[0].times == 7);
    CHECK(all[1].kind == FindingKind::misaligned);
    CHECK(all[2].site.block.x == 9);
    CHECK(merge(workers, 7, *m.program).size() == 1);
  }
}

TEST_CASE("a race between two lines is one finding from either side") {
  Merging m;
  const std::vector<Observers::BlockFindings> worker = {{0, {race(0, 2, 0), race(2, 0, 0)}},
                                                        {1, {race(2, 2, 1)}}};
  const std::vector<Finding> all = merge({worker}, 1, *m.program);
  REQUIRE(all.size() == 2);
  CHECK(all[0].times == 2);
  CHECK(all[0].site.line == 10);
  CHECK(all[0].other.line == 20);
}

TEST_CASE("what a race between blocks explains is not reported again") {
  Merging m;
  Finding different = race(0, 2, 0), same = race(2, 0, 0), alone = race(1, 1, 0);
  different.kind = FindingKind::global_race;
  same.kind = alone.kind = FindingKind::global_race_same_value;
  Finding chance = finding(FindingKind::uninitialised_read, 2, 1),
          other = finding(FindingKind::uninitialised_read, 3, 1);
  chance.memory.space = "global";
  other.memory.space = "shared";
  const std::vector<Observers::BlockFindings> worker = {{0, {same, different, alone}}, {1, {chance, other}}};
  const std::vector<Finding> all = merge({worker}, 1, *m.program);
  REQUIRE(all.size() == 3);
  CHECK(all[0].kind == FindingKind::global_race);
  CHECK(all[0].times == 2);
  CHECK(all[1].kind == FindingKind::global_race_same_value);
  CHECK(all[2].memory.space == "shared");
}

TEST_CASE("what a kernel of the toolkit reads in its own shared memory is not reported") {
  Merging m;
  Finding own = finding(FindingKind::uninitialised_read, 5, 1), given = own, called = own;
  own.memory.space = called.memory.space = "shared";
  given.memory.space = "global";
  called.site.instruction = 4;
  const std::vector<Observers::BlockFindings> worker = {{0, {own}}, {1, {given, called}}};
  const std::vector<Finding> all = merge({worker}, 1, *m.program);
  REQUIRE(all.size() == 2);
  CHECK(all[0].memory.space == "global");
  CHECK(all[1].site.line == 40);
}

TEST_CASE("no more than 100 findings") {
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n";
  for (int i = 0; i < 150; ++i) text += "mov.u32 %r1, %r2;\n";
  DeviceMemory memory(std::size_t{1} << 20);
  const auto program = Program::load(ptx::parse(text + "ret;\n}\n"), memory);
  std::vector<Observers::BlockFindings> worker;
  for (std::uint32_t i = 0; i < 150; ++i) worker.push_back({i, {finding(FindingKind::misaligned, i, i)}});
  CHECK(merge({worker}, 1000, *program).size() == 100);
}
