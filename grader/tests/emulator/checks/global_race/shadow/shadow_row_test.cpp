#include "checks/global_race/shadow/shadow_row.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace warpgrade::emulator;

namespace {

constexpr std::uint32_t kBase = 10, kBlock = 20;  // first segments of the launch and of the block

struct Rows {
  Rows() { shadow.keep_units(page, 2); }
  // Half a warp from thread 32 on, in segment 21.
  ShadowRowOutcome enter(bool write, unsigned shift, unsigned first = 0) {
    return enter_shadow_rows(
        {.row = records + first,
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
  std::uint64_t* records = shadow.rows(0);
  std::array<std::uint16_t, 16> hash{100, 101, 102, 103, 104, 105, 106, 107,
                                     108, 109, 110, 111, 112, 113, 114, 115};
};

}  // namespace

TEST_CASE("a row that is split gives each word the row's record") {
  for (unsigned shift = 0; shift < 3; ++shift) {
    Rows rows;
    REQUIRE(rows.enter(true, shift) == ShadowRowOutcome::entered);
    for (unsigned i = 0; i < 1u << shift; ++i) take_apart(rows.shadow, 64 * i, kBase, 22);
    for (unsigned i = 0; i < 16u << shift; ++i) {
      CAPTURE(shift);
      CAPTURE(i);
      const unsigned lane = i >> shift;
      CHECK(rows.word(i).bits ==
            GlobalShadowWord::of(21, Holding::written, 32 + lane, 100 + lane, 7, lane == 1).bits);
    }
    CHECK(rows.enter(true, shift) == ShadowRowOutcome::general);
  }
}

TEST_CASE("bytes of a row have their word's record") {
  Rows rows;
  REQUIRE(rows.enter(false, 0) == ShadowRowOutcome::entered);
  REQUIRE(rows.shadow.keep_units(rows.page, 0));
  take_apart(rows.shadow, 63, kBase, 22);
  for (unsigned byte = 0; byte < 64; ++byte)
    CHECK(rows.word(byte).bits == GlobalShadowWord::of(21, Holding::read, 32 + byte / 4, 0, 7, false).bits);
}

TEST_CASE("a read after another block's read makes the record read-by-many") {
  Rows rows;
  rows.records[0] = GlobalShadowWord::of(12, Holding::read, 5, 0, 3, false).bits;
  CHECK(rows.enter(true, 0) == ShadowRowOutcome::general);
  CHECK(rows.enter(false, 0) == ShadowRowOutcome::entered);
  CHECK(is_read_by_many(rows.records[0], kBase));
  CHECK_FALSE(is_read_by_many(rows.records[0], 13));
  CHECK(GlobalShadowWord{rows.records[0]}.first() == 5);
  CHECK(rows.enter(false, 0) == ShadowRowOutcome::same);
  CHECK(rows.enter(true, 0) == ShadowRowOutcome::general);
}

TEST_CASE("one row that is not plain leaves all as they were") {
  Rows rows;
  rows.records[1] =
      GlobalShadowWord::of(21, Holding::read, 99, 0, 3, false).bits;  // a thread of another warp
  CHECK(rows.enter(false, 1) == ShadowRowOutcome::general);
  CHECK(rows.records[0] == 0);
  rows.records[1] = GlobalShadowWord::of(9, Holding::written, 99, 0, 3, false).bits;  // in another launch
  CHECK(rows.enter(false, 1) == ShadowRowOutcome::entered);
  CHECK(GlobalShadowWord{rows.records[1]}.first() == 40);
}

TEST_CASE("untouched rows are entered without checking each") {
  for (const bool write : {false, true}) {
    Rows each, all;
    ShadowRowRun run{
        .row = all.records,
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

TEST_CASE("accesses before the block's barrier do not conflict, and a read keeps the record of a write") {
  Rows rows;
  const std::uint64_t read = GlobalShadowWord::of(kBlock, Holding::read, 99, 0, 3, false).bits;
  ShadowRowRun run{.row = rows.records,
                   .count = 1,
                   .base = kBase,
                   .first_segment = kBlock,
                   .floor = kBlock + 1,
                   .record = GlobalShadowWord::of(21, Holding::read, 32, 0, 7, false).bits};
  rows.records[0] = read;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::entered);
  CHECK(GlobalShadowWord{rows.records[0]}.first() == 32);
  rows.records[0] = GlobalShadowWord::of(kBlock, Holding::written, 99, 0, 3, false).bits;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::general);
  run.floor = kBlock;
  rows.records[0] = read;
  CHECK(enter_shadow_rows(run) == ShadowRowOutcome::general);
}
