#include "checks/global_race/shadow_row.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace warpgrade::emulator;

namespace {

constexpr std::uint32_t kBase = 10, kBlock = 20;  // first segments of the launch and of the block

struct Strips {
  Strips() { shadow.keep_units(page, 2); }
  // Half a warp from thread 32 on, in segment 21.
  ShadowRowOutcome enter(bool write, unsigned shift, unsigned first = 0) {
    return enter_shadow_rows(
        {.strip = records + first,
         .values = shadow.values(64 * first),
         .count = 1u << shift,
         .shift = shift,
         .write = write,
         .base = kBase,
         .first_segment = kBlock,
         .floor = kBlock,
         .record = GlobalShadowWord::of(21, write ? Holding::written : Holding::read, 32, 0, 7, false).bits,
         .hash = hash.data(),
         .silent = 0x0002});
  }
  GlobalShadowWord word(unsigned i) const { return {page.last[i]}; }

  ShadowPages shadow{ShadowPages::kPage};
  ShadowPages::Page& page = shadow.page(0);
  std::uint64_t* records = shadow.strips(0);
  std::array<std::uint16_t, 16> hash{100, 101, 102, 103, 104, 105, 106, 107,
                                     108, 109, 110, 111, 112, 113, 114, 115};
};

}  // namespace

TEST_CASE("taken apart, a strip says of each word what it said of all") {
  for (unsigned shift = 0; shift < 3; ++shift) {
    Strips strips;
    REQUIRE(strips.enter(true, shift) == ShadowRowOutcome::entered);
    for (unsigned i = 0; i < 1u << shift; ++i) take_apart(strips.shadow, 64 * i, kBase, 22);
    for (unsigned i = 0; i < 16u << shift; ++i) {
      CAPTURE(shift);
      CAPTURE(i);
      const unsigned lane = i >> shift;
      CHECK(strips.word(i).bits ==
            GlobalShadowWord::of(21, Holding::written, 32 + lane, 100 + lane, 7, lane == 1).bits);
    }
    CHECK(strips.enter(true, shift) == ShadowRowOutcome::general);
  }
}

TEST_CASE("bytes of a strip have their word's record") {
  Strips strips;
  REQUIRE(strips.enter(false, 0) == ShadowRowOutcome::entered);
  REQUIRE(strips.shadow.keep_units(strips.page, 0));
  take_apart(strips.shadow, 63, kBase, 22);
  for (unsigned byte = 0; byte < 64; ++byte)
    CHECK(strips.word(byte).bits == GlobalShadowWord::of(21, Holding::read, 32 + byte / 4, 0, 7, false).bits);
}

TEST_CASE("who reads what another block has read makes it read by many") {
  Strips strips;
  strips.records[0] = GlobalShadowWord::of(12, Holding::read, 5, 0, 3, false).bits;
  CHECK(strips.enter(true, 0) == ShadowRowOutcome::general);
  CHECK(strips.enter(false, 0) == ShadowRowOutcome::entered);
  CHECK(is_read_by_many(strips.records[0], kBase));
  CHECK_FALSE(is_read_by_many(strips.records[0], 13));
  CHECK(GlobalShadowWord{strips.records[0]}.first() == 5);
  CHECK(strips.enter(false, 0) == ShadowRowOutcome::same);
  CHECK(strips.enter(true, 0) == ShadowRowOutcome::general);
}

TEST_CASE("one strip that is not plain leaves all as they were") {
  Strips strips;
  strips.records[1] = GlobalShadowWord::of(21, Holding::read, 99, 0, 3, false).bits;  // of another warp
  CHECK(strips.enter(false, 1) == ShadowRowOutcome::general);
  CHECK(strips.records[0] == 0);
  strips.records[1] = GlobalShadowWord::of(9, Holding::written, 99, 0, 3, false).bits;  // in another launch
  CHECK(strips.enter(false, 1) == ShadowRowOutcome::entered);
  CHECK(GlobalShadowWord{strips.records[1]}.first() == 40);
}

TEST_CASE("strips that nobody has touched need no look at each") {
  for (const bool write : {false, true}) {
    Strips each, all;
    ShadowRowRun run{
        .strip = all.records,
        .values = all.shadow.values(0),
        .count = 1,
        .write = write,
        .untouched = true,
        .base = kBase,
        .first_segment = kBlock,
        .floor = kBlock,
        .record = GlobalShadowWord::of(21, write ? Holding::written : Holding::read, 32, 0, 7, false).bits,
        .hash = all.hash.data(),
        .silent = 0x0002};
    CHECK(enter_shadow_rows(run) == ShadowRowOutcome::entered);
    REQUIRE(each.enter(write, 0) == ShadowRowOutcome::entered);
    CHECK(all.records[0] == each.records[0]);
    for (unsigned i = 0; i < 16; ++i) CHECK(all.shadow.values(0)[i] == each.shadow.values(0)[i]);
  }
}

TEST_CASE("what was before the block's barrier does not matter, unless it was written and is read") {
  Strips strips;
  const std::uint64_t read = GlobalShadowWord::of(kBlock, Holding::read, 99, 0, 3, false).bits;
  ShadowRowRun run{.strip = strips.records,
                   .count = 1,
                   .base = kBase,
                   .first_segment = kBlock,
                   .floor = kBlock + 1,
                   .record = GlobalShadowWord::of(21, Holding::read, 32, 0, 7, false).bits};
  strips.records[0] = read;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::entered);
  CHECK(GlobalShadowWord{strips.records[0]}.first() == 32);
  strips.records[0] = GlobalShadowWord::of(kBlock, Holding::written, 99, 0, 3, false).bits;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::general);
  run.floor = kBlock;
  strips.records[0] = read;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::general);
}
