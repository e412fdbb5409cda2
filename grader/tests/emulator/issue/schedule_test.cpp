#include "issue/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace warpgrade::issue;

namespace {

const IssueTiming kTiming = {.queue = 8, .queue_cycles = 2, .entry = 4, .barrier = 30, .spread = 0.3};
const BlockSequence kOneWarp = {.blocks = 1, .warps = 1};

TracedInstruction single() { return {.unit = Unit::kSingle, .stall = 1}; }

// Cycles until the last warp has ended.
double length(const WarpTrace& trace, const BlockSequence& blocks, const IssueTiming& timing = kTiming) {
  const Schedule found = schedule(trace, timing, blocks);
  return *std::max_element(found.ends.begin(), found.ends.end());
}

WarpTrace repeated(const TracedInstruction& it, std::size_t times) {
  return {{it}, std::vector<std::size_t>(times, 0)};
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

TEST_CASE("a branch that is taken costs its scheduler two more cycles, in which no warp issues") {
  const TracedInstruction taken = {.unit = Unit::kTakenBranch, .stall = 1};
  CHECK(length({{single(), taken}, {0, 0, 1, 0}}, {.blocks = 1, .warps = 4}) == 6);
  CHECK(length({{single(), taken}, {0, 0, 1, 0}}, {.blocks = 1, .warps = 64}) == 16 * 6);
}

TEST_CASE("a product of 64 bits keeps other instructions of its scheduler out, unlike one of 32") {
  const auto with_integers = [](Unit multiply) {
    const TracedInstruction product = {.unit = multiply, .stall = 1},
                            sum = {.unit = Unit::kInteger, .stall = 1};
    std::vector<std::size_t> order;
    for (int i = 0; i < 100; ++i) order.insert(order.end(), {0, 1, 1});
    return length({{product, sum}, order}, {.blocks = 1, .warps = 16}) / 400;
  };
  CHECK(with_integers(Unit::kIntegerMultiply) == doctest::Approx(4).epsilon(0.02));
  CHECK(with_integers(Unit::kWideMultiply) == doctest::Approx(6.3).epsilon(0.05));  // an H200: 6.2
}

TEST_CASE("what lanes do one after the other keeps their scheduler's unit busy") {
  const TracedInstruction turns = {.unit = Unit::kTurns, .stall = 1, .passes = 11};
  CHECK(length(repeated(turns, 101), kOneWarp) == 100 * 11 + 1);
  CHECK(length(repeated(turns, 101), {.blocks = 1, .warps = 4}) == 100 * 11 + 1);
}

TEST_CASE("pipes of 16 lanes take an instruction every second cycle, special functions every eighth") {
  for (const auto& [unit, cycles] : {std::pair{Unit::kInteger, 2},
                                     {Unit::kIntegerMultiply, 2},
                                     {Unit::kWideMultiply, 4},
                                     {Unit::kSpecial, 8}})
    CHECK(length(repeated({.unit = unit, .stall = 1}, 101), kOneWarp) == 100 * cycles + 1);
}

TEST_CASE(
    "multiply-adds of floats take the halves of their pipe in turns, also where integers keep one busy") {
  std::vector<std::size_t> order;
  for (int i = 0; i < 100; ++i) order.insert(order.end(), {0, 1});
  const auto pairs = [&](Unit multiply) {
    return length({{{.unit = multiply, .stall = 1}, single()}, order}, {.blocks = 1, .warps = 16});
  };
  CHECK(pairs(Unit::kIntegerMultiply) == doctest::Approx(4 * 300).epsilon(0.01));  // an H200: 3.5 a pair
  CHECK(pairs(Unit::kWideMultiply) == doctest::Approx(4 * 525).epsilon(0.01));     // an H200: 4.8 a pair
  CHECK(pairs(Unit::kInteger) == doctest::Approx(4 * 200).epsilon(0.01));
}

TEST_CASE("a bank of registers serves one read a cycle, and two may wait for it") {
  const auto of = [](std::array<int, 2> fetches) -> TracedInstruction {
    return {.unit = Unit::kSingle, .stall = 1, .fetches = fetches};
  };
  CHECK(length(repeated(of({1, 1}), 100), kOneWarp) == 100);
  CHECK(length(repeated(of({2, 0}), 100), kOneWarp) == 197);
  CHECK(length({{of({3, 0}), of({0, 1})}, {0, 1, 1, 0, 1, 1}}, kOneWarp) == 6);  // the queue drains meanwhile
}

TEST_CASE("a bank of registers catches up while the scheduler waits") {
  CHECK(length(repeated({.unit = Unit::kSingle, .stall = 3, .fetches = {3, 0}}, 100), kOneWarp) == 300);
}

TEST_CASE("what operand collectors keep is fetched again where another warp has issued in between") {
  const TracedInstruction alone = {.unit = Unit::kSingle, .stall = 1, .fetches = {1, 1}, .kept = {1, 0}};
  CHECK(length(repeated(alone, 100), kOneWarp) == 100);
  TracedInstruction in_turns = alone;
  in_turns.stall = 2;  // two warps of a scheduler take turns
  CHECK(length(repeated(in_turns, 100), {.blocks = 1, .warps = 8}) > 250);
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
                           {0, 1}};
  CHECK(schedule(trace, kTiming, kOneWarp).ends[0] == 4 + 1 + 24 + 1);
}

TEST_CASE("a barrier waits for the last warp and for what it has stored") {
  const WarpTrace trace = {
      {{.unit = Unit::kStore, .stall = 1, .passes = 10}, {.unit = Unit::kBarrier, .stall = 1}, single()},
      {0, 1, 2}};
  CHECK(length(trace, {.blocks = 1, .warps = 1}) == 4 + 10 + 30 + 1);
  CHECK(length(trace, {.blocks = 1, .warps = 2}) == 4 + 10 + 10 + 30 + 1);
}

TEST_CASE("loads from L2 take what it delivers, within the spread of its latency") {
  const WarpTrace trace = {
      {{.unit = Unit::kLoad, .stall = 1, .sets = 0, .passes = 1, .latency = 100, .from_l2 = 50},
       {.unit = Unit::kSingle, .stall = 1, .waits = 1}},
      {0, 0, 1}};
  const double waited = length(trace, kOneWarp) - 1;
  CHECK(waited >= 4 + 100 + 70);
  CHECK(waited <= 4 + 100 + 130);
  IssueTiming even = kTiming;
  even.spread = 0;
  CHECK(length(trace, kOneWarp, even) - 1 == 4 + 100 + 100);
}

TEST_CASE("the same seed gives the same schedule, and another one other latencies") {
  const WarpTrace trace = {
      {{.unit = Unit::kLoad, .stall = 1, .sets = 0, .passes = 1, .latency = 100, .from_l2 = 50},
       {.unit = Unit::kSingle, .stall = 1, .waits = 1}},
      {0, 1}};
  const BlockSequence blocks = {.blocks = 4, .held = 4, .warps = 2, .seed = 3};
  CHECK(schedule(trace, kTiming, blocks).ends == schedule(trace, kTiming, blocks).ends);
  BlockSequence other = blocks;
  other.seed = 4;
  CHECK(schedule(trace, kTiming, blocks).ends != schedule(trace, kTiming, other).ends);
}

TEST_CASE("a block starts in the place of one that has ended") {
  const BlockSequence blocks = {.blocks = 5, .held = 2, .warps = 4, .apart = 35, .next = 7};
  const Schedule found = schedule(repeated({.unit = Unit::kSingle, .stall = 10}, 10), kTiming, blocks);
  CHECK(found.starts == std::vector<double>{0, 35, 107, 142, 214});
  CHECK(found.ends == std::vector<double>{100, 135, 207, 242, 314});
}

TEST_CASE("the older of two blocks goes first where they wait for the data pipe") {
  const TracedInstruction load = {.unit = Unit::kLoad, .stall = 8, .passes = 4};
  const BlockSequence blocks = {.blocks = 2, .held = 2, .warps = 16};
  const Schedule found = schedule(repeated(load, 50), kTiming, blocks);
  CHECK(found.ends[0] < 0.8 * found.ends[1]);
  const BlockSequence together = {.blocks = 2, .held = 2, .warps = 16, .older_first = false};
  const Schedule waited = schedule(repeated(load, 50), kTiming, together);
  CHECK(waited.ends[0] > 0.9 * waited.ends[1]);
  const Schedule even = schedule(repeated({.unit = Unit::kSingle, .stall = 4}, 50), kTiming, blocks);
  CHECK(even.ends[0] > 0.9 * even.ends[1]);
}

TEST_CASE("a trace that names what it does not have is refused") {
  CHECK_THROWS_AS(schedule({{single()}, {1}}, kTiming, kOneWarp), std::invalid_argument);
  CHECK_THROWS_AS(schedule({{{.sets = 6}}, {0}}, kTiming, kOneWarp), std::invalid_argument);
  CHECK_THROWS_AS(schedule(repeated(single(), 1), kTiming, {.blocks = 1, .held = 2}), std::invalid_argument);
  CHECK_THROWS_AS(schedule({}, kTiming, kOneWarp), std::invalid_argument);
}
