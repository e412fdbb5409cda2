#include "checks/global_race/hand_over.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

namespace {

constexpr std::uint64_t kWord = 64, kFlag = 128;

// Block 0 stores a word at time `first` and a flag at time `second`; thread 0 of block 1 waits for the flag.
bool lacks_fence(const StrongStore& word, const StrongStore& flag, std::uint32_t reader = 0) {
  HandOvers all;
  PolledBlocks polled;
  BlockClock clock;
  clock.begin(4);
  all.store(kWord, 4, word);
  all.store(kFlag, 4, flag);
  all.poll(kFlag, 1, {.store = {}, .thread = 0, .time = clock.now()}, polled);
  return all.lacks_fence(kWord, reader, clock, polled);
}
StrongStore by(std::uint32_t thread, std::uint32_t time, std::uint32_t floor = 1, WarpClock fenced = {}) {
  return {
      .block = 0, .order = 0, .thread = thread, .time = time, .floor = floor, .fenced = std::move(fenced)};
}

}  // namespace

TEST_CASE("a word and a flag behind it need a fence between them") {
  CHECK(lacks_fence(by(0, 1), by(0, 1)));
  CHECK_FALSE(lacks_fence(by(0, 1), by(0, 2, 1, {2, 0, 0, 0})));
  CHECK(lacks_fence(by(0, 2), by(0, 2, 1, {2, 0, 0, 0})));  // the fence came before the word
}

TEST_CASE("a flag says nothing of what other warps store unless a barrier lies between") {
  CHECK_FALSE(lacks_fence(by(40, 1), by(0, 1)));
  CHECK(lacks_fence(by(40, 1), by(0, 2, 2)));
}

TEST_CASE("only threads behind the wait rely on the flag") {
  CHECK(lacks_fence(by(0, 1), by(0, 1), 31));
  CHECK_FALSE(lacks_fence(by(0, 1), by(0, 1), 40));
}

TEST_CASE("a word that is written again behind the flag is no part of what the flag says") {
  HandOvers all;
  PolledBlocks polled;
  BlockClock clock;
  clock.begin(1);
  all.store(kFlag, 4, by(0, 1));
  all.store(kWord, 4, by(0, 1));
  all.poll(kFlag, 1, {.store = {}, .thread = 0, .time = 1}, polled);
  CHECK_FALSE(all.lacks_fence(kWord, 0, clock, polled));
  CHECK(polled.size() == 1);
}

TEST_CASE("words of one store are handed over together") {
  HandOvers all;
  PolledBlocks polled;
  BlockClock clock;
  clock.begin(1);
  all.store(kWord, 8, by(0, 1));
  all.poll(kWord, 1, {.store = {}, .thread = 0, .time = 1}, polled);
  CHECK_FALSE(all.lacks_fence(kWord + 4, 0, clock, polled));
}

namespace {

// One thread stores the words at 64 and 68 in this order, and another block loads both.
bool may_be_torn(const StrongStore& lower, const StrongStore& upper, const WideLoad& load) {
  HandOvers all;
  all.store(kWord, 4, lower);
  all.store(kWord + 4, 4, upper);
  CHECK(all.torn(kWord, kWord, 8, load) == nullptr);  // what is stored last is the one that may lack
  return all.torn(kWord + 4, kWord, 8, load) != nullptr;
}
constexpr WideLoad kTestsUpper = {.tested = 2}, kTestsLower = {.tested = 1},
                   kTestsBoth = {.tested = 3, .is_tested_at_once = true};

}  // namespace

TEST_CASE("a load of two words sees both only behind a fence between their stores") {
  const WarpClock fenced = {2};
  CHECK(may_be_torn(by(0, 1), by(0, 1), kTestsUpper));
  CHECK_FALSE(may_be_torn(by(0, 1), by(0, 2, 1, fenced), kTestsUpper));
  CHECK(may_be_torn(by(0, 1), by(0, 2, 1, fenced), kTestsLower));  // the flag came first
  CHECK(may_be_torn(by(0, 1), by(0, 2, 1, fenced), kTestsBoth));   // one word alone ends the wait
  CHECK_FALSE(may_be_torn(by(0, 1), by(1, 1), kTestsUpper));       // two threads' own words
}

TEST_CASE("a load of two words is whole where one store has written both") {
  HandOvers all;
  all.store(kWord, 4, by(0, 1));
  all.store(kWord, 8, by(0, 1));
  CHECK(all.torn(kWord, kWord, 8, kTestsBoth) == nullptr);
  CHECK(all.torn(kWord + 4, kWord, 8, kTestsBoth) == nullptr);
}

TEST_CASE("a word that was there before the flag may be written again behind it") {
  HandOvers all;
  all.store(kWord, 4, by(0, 1));
  all.store(kWord + 4, 4, by(0, 2, 1, {2}));
  all.store(kWord, 4, by(0, 3, 1, {3}));
  CHECK(all.torn(kWord, kWord, 8, kTestsUpper) == nullptr);
}

TEST_CASE("a counter tells of all blocks that have counted since its last store") {
  HandOvers all;
  PolledBlocks polled;
  BlockClock clock;
  clock.begin(1);
  const auto counts = [&](std::uint64_t block) {
    StrongStore update = by(0, 1);
    update.block = block;
    all.count(kFlag, update);
  };
  all.store(kWord, 4, by(0, 1));
  counts(0), counts(1);
  all.poll(kFlag, 2, {.store = {}, .thread = 0, .time = 1}, polled);
  CHECK(polled.size() == 2);
  CHECK(all.lacks_fence(kWord, 0, clock, polled));
  all.store(kFlag, 4, by(0, 1));  // back to 0
  polled.clear();
  all.poll(kFlag, 2, {.store = {}, .thread = 0, .time = 1}, polled);
  CHECK(polled.size() == 1);
}
