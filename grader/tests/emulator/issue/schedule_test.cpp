#include "issue/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

using namespace warpgrade::issue;

namespace {

const IssueTiming kTiming = {.queue = 8, .queue_cycles = 2, .entry = 4, .barrier = 30, .spread = 0.3};
const ResidentBlocks kOneWarp = {.blocks = 1, .warps = 1};

TracedInstruction single() { return {.unit = Unit::kSingle, .stall = 1}; }

// Cycles until the last warp has ended.
double length(const WarpTrace& trace, const ResidentBlocks& resident, const IssueTiming& timing = kTiming) {
  const Schedule found = schedule(trace, timing, resident);
  return *std::max_element(found.ends.begin(), found.ends.end());
}

WarpTrace repeated(const TracedInstruction& it, std::size_t times) {
  return {{it}, std::vector<std::size_t>(times, 0), {}};
}

}  // namespace

TEST_CASE("a scheduler issues one instruction a cycle, whichever of its warps has one") {
  CHECK(length(repeated(single(), 100), kOneWarp) == 100);
  CHECK(length(repeated(single(), 100), {.blocks = 1, .warps = 4}) == 100);  // each has a scheduler
  CHECK(length(repeated(single(), 100), {.blocks = 1, .warps = 8}) == 200);
}

TEST_CASE("a warp waits as long as its stalls say, and others issue meanwhile") {
  const TracedInstruction slow = {.unit = Unit::kSingle, .stall = 4};
  CHECK(length(repeated(slow, 100), kOneWarp) == 400);
  CHECK(length(repeated(slow, 100), {.blocks = 1, .warps = 16}) <= 404);
}

TEST_CASE("pipes of 16 lanes take an instruction every second cycle, special functions every eighth") {
  for (const auto& [unit, cycles] :
       {std::pair{Unit::kInteger, 2}, {Unit::kIntegerMultiply, 2}, {Unit::kSpecial, 8}})
    CHECK(length(repeated({.unit = unit, .stall = 1}, 101), kOneWarp) == 100 * cycles + 1);
}

TEST_CASE("a conflict of register banks holds the scheduler back") {
  CHECK(length(repeated({.unit = Unit::kSingle, .stall = 1, .conflict = 1}, 100), kOneWarp) == 199);
}

TEST_CASE("all schedulers share the data pipe") {
  const TracedInstruction load = {.unit = Unit::kLoad, .stall = 1, .passes = 4};
  const double found = length(repeated(load, 100), {.blocks = 1, .warps = 4});
  CHECK(found >= 4 * 100 * 4 - 4 * 8 * 4 - 16);  // but for what still waits in the queues
  CHECK(found <= 4 * 100 * 4);
}

TEST_CASE("a scoreboard holds its reader back until the data has arrived") {
  const WarpTrace trace = {{{.unit = Unit::kLoad, .stall = 1, .sets = 2, .passes = 1, .latency = 24},
                            {.unit = Unit::kSingle, .stall = 1, .waits = 1 << 2}},
                           {0, 1},
                           {1}};
  const Schedule found = schedule(trace, kTiming, kOneWarp);
  CHECK(found.marks[0][0] == 4 + 1 + 24);
  CHECK(found.ends[0] == found.marks[0][0] + 1);
}

TEST_CASE("a barrier waits for the last warp and for what it has stored") {
  const WarpTrace trace = {
      {{.unit = Unit::kStore, .stall = 1, .passes = 10}, {.unit = Unit::kBarrier, .stall = 1}, single()},
      {0, 1, 2},
      {2}};
  const Schedule found = schedule(trace, kTiming, {.blocks = 1, .warps = 2});
  CHECK(found.marks[0][0] == 4 + 10 + 10 + 30);
  CHECK(found.marks[0][1] == found.marks[0][0]);
}

TEST_CASE("loads from L2 take what it delivers, within the spread of its latency") {
  const WarpTrace trace = {
      {{.unit = Unit::kLoad, .stall = 1, .sets = 0, .passes = 1, .latency = 100, .from_l2 = 50},
       {.unit = Unit::kSingle, .stall = 1, .waits = 1}},
      {0, 0, 1},
      {2}};
  const double waited = schedule(trace, kTiming, kOneWarp).marks[0][0];
  CHECK(waited >= 4 + 100 + 70);
  CHECK(waited <= 4 + 100 + 130);
  IssueTiming even = kTiming;
  even.spread = 0;
  CHECK(schedule(trace, even, kOneWarp).marks[0][0] == 4 + 100 + 100);
}

TEST_CASE("the same seed gives the same schedule, and another one other starts") {
  const WarpTrace trace = repeated(single(), 10);
  const ResidentBlocks resident = {.blocks = 4, .warps = 2, .apart = 100, .seed = 3};
  CHECK(schedule(trace, kTiming, resident).starts == schedule(trace, kTiming, resident).starts);
  ResidentBlocks other = resident;
  other.seed = 4;
  CHECK(schedule(trace, kTiming, resident).starts != schedule(trace, kTiming, other).starts);
}

TEST_CASE("a trace that names what it does not have is refused") {
  CHECK_THROWS_AS(schedule({{single()}, {1}, {}}, kTiming, kOneWarp), std::invalid_argument);
  CHECK_THROWS_AS(schedule({{single()}, {0}, {2}}, kTiming, kOneWarp), std::invalid_argument);
  CHECK_THROWS_AS(schedule({{{.sets = 6}}, {0}, {}}, kTiming, kOneWarp), std::invalid_argument);
  CHECK_THROWS_AS(schedule({}, kTiming, kOneWarp), std::invalid_argument);
}
