// Random programs: vector clocks against a reference that compares all accesses pairwise.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "checks/shared_race/vector_clocks.hpp"
#include "tests/emulator/support/race_stage.hpp"
#include "tests/emulator/support/sanitized.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

// Reference: all accesses since the last block barrier, compared pairwise.
TEST_CASE("random programs race exactly where a pairwise comparison says so") {
  struct Past {
    std::uint32_t thread, word, epoch;
    bool write;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    const RaceNeeds needs = kMethods[seed % 3];
    RaceStage stage(96, needs);
    std::vector<Past> past;
    std::vector<std::uint32_t> epoch(3, 0);
    std::set<std::uint32_t> expected, got;
    const unsigned span = 1u << pick(8);
    for (std::uint32_t step = 1; step < 60; ++step) {
      if (pick(8) == 0) stage.barrier(), past.clear();
      const std::uint32_t warp = pick(3);
      if (pick(3) == 0) stage.warp_barrier(warp), ++epoch[warp];
      const std::uint64_t first = pick(span), stride = pick(4) == 0 ? 0 : pick(3), half = pick(2) * 16;
      Event event;
      event.kind = pick(3) == 0 ? kWrite : kRead;
      event.warp = warp;
      event.bytes = 4u << pick(3);
      event.mask = pick(3) == 0 ? random() : kFullMask;
      event.instruction = step;
      const std::uint64_t bytes = event.bytes;
      event.address = [=](std::uint32_t i) {
        return (first * 4 / bytes + stride * (half != 0 ? i % 16 : i)) * bytes;
      };
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((event.mask >> lane & 1) == 0) continue;
        for (std::uint32_t i = 0; i < bytes / 4; ++i) {
          const Past now{32 * warp + lane, static_cast<std::uint32_t>(event.address(lane) / 4) + i,
                         epoch[warp], event.kind == kWrite};
          for (const Past& other : past) {
            const bool ordered =
                other.thread == now.thread || (other.thread / 32 == warp && other.epoch != now.epoch);
            if (other.word == now.word && !ordered && (other.write || now.write)) expected.insert(step);
          }
          past.push_back(now);
        }
      }
      stage(event);
      // After the first race the histories may differ: a racing write hides what was before it.
      if (!expected.empty()) break;
    }
    for (const Finding& finding : stage.checks.findings) got.insert(finding.site.instruction);
    CAPTURE(seed);
    CHECK(got == expected);
  }
}

namespace {

// The order that barriers and atomics with release and acquire establish. before[w][v]: accesses of warp v
// before this step are ordered before the next access of warp w.
struct Order {
  explicit Order(std::uint32_t warps) : before(warps, Clock(warps)), own(warps) {}
  using Clock = std::vector<std::uint32_t>;
  struct Flag {
    Clock all, own;
  };

  bool ordered(std::uint32_t now, std::uint32_t earlier, std::uint32_t step) const {
    return now == earlier ? step < own[now] : step < before[now][earlier];
  }
  void block_barrier(std::uint32_t step) {
    for (Clock& each : before) each.assign(each.size(), step);
    own.assign(own.size(), step);
    flags.clear();
  }
  void release(std::uint32_t warp, std::uint32_t flag, std::uint32_t step) {
    Flag& to = at(flag);
    for (std::uint32_t w = 0; w < own.size(); ++w)
      to.all[w] = std::max(to.all[w], w == warp ? step : before[warp][w]);
    to.own[warp] = step;
  }
  void acquire(std::uint32_t warp, std::uint32_t flag) {
    const Flag& from = at(flag);
    for (std::uint32_t w = 0; w < own.size(); ++w)
      if (w != warp) before[warp][w] = std::max(before[warp][w], from.all[w]);
    own[warp] = std::max(own[warp], from.own[warp]);
  }
  void arrival(std::uint32_t warp, std::uint32_t step) {
    arrived.resize(own.size());
    for (std::uint32_t w = 0; w < own.size(); ++w)
      arrived[w] = std::max(arrived[w], w == warp ? step : before[warp][w]);
  }
  void partial_barrier(const std::vector<std::uint32_t>& warps, std::uint32_t step) {
    Clock all = std::exchange(arrived, {});
    all.resize(own.size());
    for (const std::uint32_t warp : warps)
      for (std::uint32_t w = 0; w < own.size(); ++w) all[w] = std::max(all[w], before[warp][w]);
    for (const std::uint32_t warp : warps) all[warp] = own[warp] = step;
    for (const std::uint32_t warp : warps) before[warp] = all;
  }
  Flag& at(std::uint32_t flag) {
    return flags.try_emplace(flag, Flag{Clock(own.size()), Clock(own.size())}).first->second;
  }

  std::vector<Clock> before;
  Clock own, arrived;
  std::map<std::uint32_t, Flag> flags;
};

// A random program with barriers and flags, and the reference: each access is compared with every earlier
// access to its word.
class FlagProgram {
 public:
  explicit FlagProgram(unsigned seed) : random_(seed) {}

  void run() {
    for (; step < steps_ && !races; ++step) {
      if (pick(barriers_) == 0) stage.barrier(), order_.block_barrier(step), past_.clear();
      const std::uint32_t warp = turns_ && pick(40) != 0 ? holder_ : pick(kWarps);
      meet(warp);
      if (pick(3) == 0)
        pass_flag(warp);
      else
        access(warp);
    }
  }

 private:
  static constexpr std::uint32_t kWarps = 3;
  struct Past {
    std::uint32_t thread, step;
    bool write;
    bool before_a_write = false;
  };

  std::uint32_t pick(unsigned n) { return static_cast<std::uint32_t>(random_() % n); }

  // Barriers of the warp, of all other warps, and an arrival of the warp.
  void meet(std::uint32_t warp) {
    if (pick(6) == 0) stage.warp_barrier(warp), order_.own[warp] = step;
    if (pick(16) == 0) {
      std::uint32_t masks[kWarps] = {kFullMask, kFullMask, kFullMask};
      const std::uint32_t one = pick(kWarps);
      masks[one] = 0;
      stage.check.partial_barrier(1, masks);
      order_.partial_barrier({(one + 1) % kWarps, (one + 2) % kWarps}, step);
    }
    if (pick(16) == 0) stage.check.arrival(warp, 1), order_.arrival(warp, step);
  }

  // The warp writes a flag, and usually another warp reads it.
  void pass_flag(std::uint32_t warp) {
    const std::uint32_t flag = turns_ ? 0 : pick(2), to = pick(kWarps);
    const auto touch = [&](Access::Kind kind, std::uint32_t by) {
      stage({.kind = kind,
             .warp = by,
             .address = [=](std::uint32_t) { return 3072ull + 64 * flag; },
             .mask = 1,
             .instruction = step,
             .is_strong = true,
             .releases = kind == kWrite});
    };
    touch(kWrite, warp), order_.release(warp, flag, step);
    if (pick(30) != 0) touch(kRead, to), order_.acquire(to, flag);
    holder_ = to;
  }

  Event random_access(std::uint32_t warp) {
    const std::uint64_t first = pick(span_), stride = pick(4) == 0 ? 0 : 1;
    Event event;
    event.kind = pick(4) == 0 && stride != 0 ? kWrite : kRead;
    event.warp = warp;
    event.bytes = 4u << pick(3);
    event.mask = pick(3) == 0 ? random_() : kFullMask;
    event.instruction = step;
    const std::uint64_t bytes = event.bytes, apart = pick(4) == 0 ? 7 : 1;
    event.address = [=](std::uint32_t i) { return (first * 4 / bytes + stride * (i * apart % 32)) * bytes; };
    return event;
  }

  void access(std::uint32_t warp) {
    const Event event = random_access(warp);
    // A write of another warp between two lanes of this warp orders these lanes as well. The test does not
    // compare such accesses.
    bool races_now = false, before_a_write = false;
    std::vector<std::pair<std::uint32_t, Past>> fresh;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((event.mask >> lane & 1) == 0) continue;
      for (std::uint32_t i = 0; i < event.bytes / 4; ++i) {
        const Past now{32 * warp + lane, step, event.kind == kWrite};
        fresh.emplace_back(static_cast<std::uint32_t>(event.address(lane) / 4) + i, now);
        for (const Past& other : past_[fresh.back().first])
          if ((other.write || now.write) && other.thread != now.thread &&
              !order_.ordered(warp, other.thread / 32, other.step))
            (other.before_a_write ? before_a_write : races_now) = true;
      }
    }
    if (before_a_write || (races_now && pick(steps_ / 10) != 0)) return;  // most programs run for long
    for (const auto& [word, now] : fresh) {
      for (Past& other : past_[word]) other.before_a_write |= now.write;
      past_[word].push_back(now);
    }
    races = races_now;
    stage(event);
  }

  std::mt19937 random_;
  Order order_{kWarps};
  std::map<std::uint32_t, std::vector<Past>> past_;  // indexed by word
  // In many programs the warps take turns: a warp without the token accesses memory only now and then.
  const bool turns_ = pick(4) != 0;
  std::uint32_t holder_ = 0;  // the warp with the token
  const unsigned span_ = 1u << pick(7), steps_ = pick(8) == 0 ? 3000 : 80,
                 barriers_ = steps_ > 80 ? 2000 : 8 + 20 * pick(3);

 public:
  RaceStage stage{32 * kWarps, {true, false}};
  std::uint32_t step = 1;  // after run(): one more than the last step
  bool races = false;      // the reference found a race in the last step
};

}  // namespace

TEST_CASE("random programs with flags race exactly where a pairwise comparison says so") {
  unsigned races = 0, long_ones = 0;
  const unsigned programs = is_sanitized() ? 150 : 400;
  for (unsigned seed = 0; seed < programs; ++seed) {
    FlagProgram program(seed);
    program.run();
    CAPTURE(seed);
    CHECK((program.stage.count() != 0) == program.races);
    if (program.stage.count() != 0)
      CHECK(program.stage.checks.findings[0].site.instruction == program.step - 1);
    races += program.races;
    long_ones += program.step > 40;
  }
  CHECK(races > programs / 4);
  CHECK(long_ones > programs / 4);
}
