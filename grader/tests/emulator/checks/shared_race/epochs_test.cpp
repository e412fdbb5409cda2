// Epochs: which accesses race with the last write of a word and the reads since, and which method finds that.
#include "checks/shared_race/epochs.hpp"

#include <map>
#include <random>

#include "tests/emulator/support/race_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// Orders everything that warp 0 has done before what warp 1 does next.
void hand_over(RaceStage& stage, std::uint32_t from = 0, std::uint32_t to = 1) {
  const auto meet = [&](Access::Kind kind, std::uint32_t warp) {
    stage({.kind = kind,
           .warp = warp,
           .address = [](std::uint32_t) { return 4000ull; },
           .mask = 1,
           .instruction = 90,
           .is_strong = true,
           .releases = kind == kWrite});
  };
  meet(kWrite, from), meet(kRead, to);
}

constexpr RaceNeeds kHistory{true, false};

}  // namespace

TEST_CASE("a race names the access that conflicts, though many threads have read") {
  RaceStage stage(96, kHistory);
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  hand_over(stage, 0, 1);
  stage(stage.linear(kRead, 1, static_cast<std::uint64_t>(-32), 1, 2));  // what was written, lane by lane
  stage({.kind = kRead,
         .warp = 1,
         .address = [](std::uint32_t i) { return 4ull * (i ^ 1u); },
         .instruction = 3});
  hand_over(stage, 0, 2);
  stage({.kind = kWrite,
         .warp = 2,
         .address = [](std::uint32_t) { return 20ull; },
         .mask = 4,
         .instruction = 4});
  CHECK(stage.only().site.instruction == 4);
  CHECK(stage.only().other.instruction == 2);
  CHECK(stage.only().other.thread.x == 37);
}

TEST_CASE(
    "who has read a word first and writes it races with the last, by the instruction that read it then") {
  RaceStage stage(64, kHistory);
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  hand_over(stage);
  stage(stage.linear(kRead, 1, static_cast<std::uint64_t>(-32), 1, 2));
  stage({.kind = kRead,
         .warp = 1,
         .address = [](std::uint32_t i) { return 4ull * (i ^ 1u); },
         .instruction = 3});
  stage({.kind = kWrite,
         .warp = 1,
         .address = [](std::uint32_t) { return 20ull; },
         .mask = 1u << 5,
         .instruction = 4});
  CHECK(stage.only().site.instruction == 4);
  CHECK(stage.only().other.instruction == 3);
  CHECK(stage.only().other.thread.x == 36);
}

TEST_CASE("of two lanes that read a word at different times, each is remembered") {
  for (const bool first_again : {false, true}) {
    RaceStage stage(64, kHistory);
    const auto touch = [&](Access::Kind kind, std::uint32_t warp, std::uint32_t lane, std::uint32_t at) {
      stage({.kind = kind,
             .warp = warp,
             .address = [](std::uint32_t) { return 64ull; },
             .mask = 1u << lane,
             .instruction = at});
    };
    stage({.kind = kWrite, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 1});
    stage.warp_barrier(0);
    touch(kRead, 0, 3, 2);
    hand_over(stage);  // time advances, but nothing orders the lanes
    touch(kRead, 0, 5, 3);
    if (first_again) {
      touch(kWrite, 0, 5, 4);  // races with lane 3 of its own warp
      CHECK(stage.only().other.instruction == 2);
    } else {
      touch(kWrite, 1, 0, 4);  // was handed lane 3's, not lane 5's
      CHECK(stage.only().other.instruction == 3);
    }
  }
}

TEST_CASE("a word may be a flag before a barrier of the block, and data after it") {
  RaceStage stage(64, kHistory);
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    hand_over(stage);
    stage.barrier();
    stage(stage.linear(kWrite, 0, 990, 1, 1));
    stage.barrier();
  }
  CHECK(stage.count() == 0);
  stage(stage.linear(kWrite, 0, 990, 1, 1));
  hand_over(stage, 1, 0);
  CHECK(stage.checks.findings[0].site.instruction == 90);
  CHECK(stage.checks.findings[0].other.instruction == 1);
}

namespace {

// A random program of one warp whose tiles meet at warp barriers, and the reference: each access is compared
// with every earlier access to its word, by what each lane knows of each other lane.
class TileProgram {
 public:
  explicit TileProgram(unsigned seed) : random_(seed) {}

  void run() {
    for (; step < 200 && !races; ++step) {
      if (pick(3) != 0) meet_in_tiles();
      access();
    }
  }

  RaceStage stage{32, kHistory};
  std::uint32_t step = 1;  // after run(): one more than the last step
  bool races = false;      // the reference found a race in the last step

 private:
  struct Past {
    std::uint32_t lane, step;
    bool write;
  };

  std::uint32_t pick(unsigned n) { return static_cast<std::uint32_t>(random_() % n); }

  // All tiles meet, or one of them.
  void meet_in_tiles() {
    const std::uint32_t only = pick(3) == 0 ? pick(32 / tile_) : 99;
    for (std::uint32_t t = 0; t < 32 / tile_; ++t) {
      if (only != 99 && only != t) continue;
      const std::uint32_t mask = pick(20) == 0 ? ~0u : ((1u << tile_) - 1) << tile_ * t;
      stage.warp_barrier(0, mask);
      std::uint32_t latest[32] = {};
      for (std::uint32_t l = 0; l < 32; ++l)
        for (std::uint32_t o = 0; o < 32 && (mask >> l & 1u) != 0; ++o)
          latest[o] = (mask >> o & 1u) != 0 ? step : std::max(latest[o], known_[l][o]);
      for (std::uint32_t l = 0; l < 32; ++l)
        if ((mask >> l & 1u) != 0) std::copy(latest, latest + 32, known_[l]);
    }
  }

  void access() {
    const std::uint32_t by = pick(tile_), across = pick(rare_) == 0 ? pick(32) : 0;
    Event event;
    event.kind = pick(2) == 0 ? kWrite : kRead;
    event.mask = pick(4) == 0 ? random_() : kFullMask;
    event.instruction = step;
    event.address = [=](std::uint32_t i) { return 4ull * ((i ^ by) ^ across); };
    if (event.mask == 0) return;
    const bool races_now = is_race(event);
    if (races_now && pick(40) != 0) return;  // many programs run long
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((event.mask >> lane & 1) != 0)
        past_[event.address(lane)].push_back({lane, step, event.kind == kWrite});
    races = races_now;
    stage(event);
  }

  bool is_race(const Event& event) {
    bool found = false;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((event.mask >> lane & 1) == 0) continue;
      for (const Past& other : past_[event.address(lane)])
        found |= (other.write || event.kind == kWrite) && other.lane != lane &&
                 other.step >= known_[lane][other.lane];
    }
    return found;
  }

  std::mt19937 random_;
  const std::uint32_t tile_ = 4u << pick(3), rare_ = 1 + pick(20);
  std::map<std::uint64_t, std::vector<Past>> past_;  // indexed by address
  std::uint32_t known_[32][32] = {};  // [lane][other]: accesses of `other` before this step are ordered
};

}  // namespace

TEST_CASE("random programs whose tiles meet race exactly where a pairwise comparison says so") {
  unsigned races = 0, long_ones = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    TileProgram program(seed);
    program.run();
    CAPTURE(seed);
    CHECK((program.stage.count() != 0) == program.races);
    if (program.stage.count() != 0)
      CHECK(program.stage.checks.findings[0].site.instruction == program.step - 1);
    races += program.races;
    long_ones += program.step > 40;
  }
  CHECK(races > 100);
  CHECK(long_ones > 100);
}
