#include "issue/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace warpgrade::issue {
namespace {

constexpr std::size_t kSchedulers = 4, kBoards = 6, kBanks = 2;
constexpr double kFetching = 2;      // cycles of a scheduler, for a branch that its warp takes
constexpr double kWideHeld = 2.5;    // cycles of a scheduler in which a product of 64 bits keeps others out
constexpr double kWaitingReads = 2;  // of a bank of registers: a longer queue holds the scheduler back
constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
constexpr double kNever = std::numeric_limits<double>::infinity();

// Cycles that a unit of a scheduler is occupied by one warp instruction, by Unit: 16 lanes take two, 4 take
// eight; a product of 64 bits passes through 16 lanes twice.
constexpr std::array<double, static_cast<std::size_t>(Unit::kCount)> kOccupied = {0, 0, 0, 0, 2, 2,
                                                                                  4, 2, 8, 2, 0, 0};

constexpr std::size_t index(Unit unit) { return static_cast<std::size_t>(unit); }
bool is_access(const TracedInstruction& it) { return it.unit == Unit::kLoad || it.unit == Unit::kStore; }

class Random {
 public:
  explicit Random(unsigned seed) : state_(seed * 2654435761u + 12345u) {}
  double operator()() {  // in [0, 1)
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) / 16777216.0;
  }

 private:
  std::uint32_t state_;
};

struct ResidentWarp {
  std::size_t place = 0, block = 0;
  std::size_t at = 0;  // its next instruction, in the order of the trace
  double ready = 0, issued = -1, stored = 0;
  std::array<double, kBoards> boards = {};
};

struct WarpScheduler {
  std::vector<std::size_t> warps;
  std::size_t last = kNobody;
  double next = kNever, busy = 0;  // when to look for an instruction; until when it issues none
  double entered = 0;
  std::vector<double> queue;  // when each of the last accesses entered the data pipe
  std::size_t oldest = 0;
  std::array<double, index(Unit::kCount)> free = {};
  Unit half = Unit::kSingle;             // of the pipe for single precision, whose turn it is
  std::array<double, kBanks> read = {};  // until when each bank of registers serves what was issued
};

struct BlockPlace {
  std::size_t arrived = 0, ended = 0;  // warps of its block, at a barrier and for good
  double latest = 0;                   // of the arrivals
};

class Multiprocessor {
 public:
  Multiprocessor(const WarpTrace& trace, const IssueTiming& timing, const BlockSequence& blocks)
      : trace_(trace),
        timing_(timing),
        blocks_(blocks),
        random_(blocks.seed),
        warps_(blocks.held * blocks.warps),
        places_(blocks.held) {
    for (WarpScheduler& each : schedulers_) each.queue.assign(timing.queue, 0.0);
    found_.starts.assign(blocks.blocks, 0.0);
    found_.ends.assign(blocks.blocks, 0.0);
    for (std::size_t place = 0; place < places_.size(); ++place)
      start(place, static_cast<double>(place) * blocks.apart);
  }

  Schedule run() {
    for (std::size_t running = blocks_.blocks * blocks_.warps; running > 0;) {
      const auto by_next = [](const WarpScheduler& a, const WarpScheduler& b) { return a.next < b.next; };
      WarpScheduler& scheduler = *std::ranges::min_element(schedulers_, by_next);
      if (scheduler.next == kNever) throw std::runtime_error("no warp of the trace can go on");
      const auto [warp, when] = choose(scheduler);
      if (when > scheduler.next) {
        scheduler.next = when;
      } else if (issue(scheduler, warp)) {
        --running;
      }
    }
    return std::move(found_);
  }

 private:
  struct Choice {
    std::size_t warp = kNobody;
    double when = kNever;
  };

  const TracedInstruction& next_of(const ResidentWarp& warp) const {
    return trace_.instructions[trace_.order[warp.at]];
  }

  // The warp that issued last, if it can go on; otherwise one by `goes_first`.
  Choice choose(const WarpScheduler& scheduler) const {
    Choice best;
    for (const std::size_t number : scheduler.warps) {
      const double when = earliest(scheduler, warps_[number]);
      if (when > scheduler.next) {
        if (best.when > scheduler.next) best.when = std::min(best.when, when);
        continue;
      }
      if (number == scheduler.last) return {number, scheduler.next};
      if (best.warp == kNobody || goes_first(warps_[number], warps_[best.warp]))
        best = {number, scheduler.next};
    }
    return best;
  }

  // Of two accesses, that of the older block: on a GPU, blocks that started together end in the order of
  // their age where they wait for the data pipe. Otherwise the warp that has waited longest.
  bool goes_first(const ResidentWarp& one, const ResidentWarp& other) const {
    if (blocks_.older_first && one.block != other.block && is_access(next_of(one)) &&
        is_access(next_of(other)))
      return one.block < other.block;
    return one.issued < other.issued;
  }

  double earliest(const WarpScheduler& scheduler, const ResidentWarp& warp) const {
    if (warp.ready > scheduler.next) return warp.ready;
    const TracedInstruction& it = next_of(warp);
    if (is_access(it)) return std::max({warp.ready, scheduler.queue[scheduler.oldest], scheduler.entered});
    return std::max(warp.ready, scheduler.free[index(pipe_of(scheduler, it.unit))]);
  }

  void start(std::size_t place, double when) {
    const std::size_t block = begun_++;
    places_[place] = {};
    found_.starts[block] = when;
    for (std::size_t i = 0; i < blocks_.warps; ++i) {
      const std::size_t number = place * blocks_.warps + i;
      warps_[number] = {};
      warps_[number].place = place;
      warps_[number].block = block;
      warps_[number].ready = when;
      WarpScheduler& scheduler = schedulers_[number % kSchedulers];
      scheduler.warps.push_back(number);
      scheduler.next = std::min(scheduler.next, std::max(when, scheduler.busy));
    }
  }

  void end(WarpScheduler& scheduler, std::size_t number, double when) {
    std::erase(scheduler.warps, number);
    if (scheduler.warps.empty()) scheduler.next = kNever;
    const ResidentWarp& warp = warps_[number];
    double& last = found_.ends[warp.block];
    last = std::max(last, when);
    const bool all = ++places_[warp.place].ended == blocks_.warps;
    if (all && begun_ < blocks_.blocks) start(warp.place, last + blocks_.next);
  }

  // Whether it was the warp's last instruction.
  bool issue(WarpScheduler& scheduler, std::size_t number) {
    ResidentWarp& warp = warps_[number];
    const TracedInstruction& it = next_of(warp);
    const double now = scheduler.next;
    const double held = fetch(scheduler, it, scheduler.last == number, now) + held_by(it.unit);
    scheduler.last = number;
    warp.issued = now;
    const double done = is_access(it) ? access(scheduler, it, now) : now + it.latency;
    if (!is_access(it)) occupy(scheduler, it, now);
    if (it.unit == Unit::kStore) warp.stored = std::max(warp.stored, done);
    if (it.sets >= 0) {
      double& board = warp.boards[static_cast<std::size_t>(it.sets)];
      board = std::max(board, done);
    }
    scheduler.next = scheduler.busy = now + 1 + held;
    if (++warp.at == trace_.order.size()) {
      end(scheduler, number, now + it.stall);
      return true;
    }
    if (it.unit == Unit::kBarrier) {
      arrive(warp, now);
    } else {
      warp.ready = waited(warp, now + it.stall);
    }
    return false;
  }

  static double held_by(Unit unit) {
    return unit == Unit::kTakenBranch ? kFetching : unit == Unit::kWideMultiply ? kWideHeld : 0;
  }

  // Cycles for which the scheduler issues nothing more because a bank of registers is behind. Each bank
  // serves a read of a warp a cycle.
  static double fetch(WarpScheduler& scheduler, const TracedInstruction& it, bool same_warp, double now) {
    double held = 0;
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
      double& until = scheduler.read[bank];
      until = std::max(until, now) + it.fetches[bank] + (same_warp ? 0 : it.kept[bank]);
      held = std::max(held, until - kWaitingReads - (now + 1));
    }
    return held;
  }

  static Unit pipe_of(const WarpScheduler& scheduler, Unit unit) {
    if (unit == Unit::kWideMultiply) return Unit::kIntegerMultiply;
    return unit == Unit::kSingle ? scheduler.half : unit;
  }

  static void occupy(WarpScheduler& scheduler, const TracedInstruction& it, double now) {
    const Unit unit = it.unit;
    if (unit == Unit::kNone) return;
    scheduler.free[index(pipe_of(scheduler, unit))] = now + std::max(it.passes, kOccupied[index(unit)]);
    if (unit == Unit::kSingle)
      scheduler.half = scheduler.half == unit ? Unit::kIntegerMultiply : Unit::kSingle;
  }

  // The time at which its data has arrived.
  double access(WarpScheduler& scheduler, const TracedInstruction& it, double now) {
    const double begin = std::max(now + timing_.entry, pipe_free_);
    pipe_free_ = begin + it.passes;
    scheduler.queue[scheduler.oldest] = begin;
    scheduler.oldest = (scheduler.oldest + 1) % scheduler.queue.size();
    scheduler.entered = now + timing_.queue_cycles;
    if (it.from_l2 <= 0) return pipe_free_ + it.latency;
    const double latency = it.latency * (1 + timing_.spread * (2 * random_() - 1));
    l2_free_ = std::max(begin, l2_free_) + it.from_l2;
    return std::max(pipe_free_, l2_free_) + latency;
  }

  // The time at which the scoreboards that the warp's next instruction waits for are released.
  double waited(const ResidentWarp& warp, double from) const {
    const int waits = next_of(warp).waits;
    for (std::size_t board = 0; board < kBoards; ++board)
      if ((waits >> board & 1) != 0) from = std::max(from, warp.boards[board]);
    return from;
  }

  void arrive(ResidentWarp& warp, double now) {
    BlockPlace& place = places_[warp.place];
    warp.ready = kNever;
    place.latest = std::max({place.latest, now, warp.stored});
    if (++place.arrived < blocks_.warps) return;
    for (std::size_t i = 0; i < blocks_.warps; ++i) {
      const std::size_t number = warp.place * blocks_.warps + i;
      ResidentWarp& other = warps_[number];
      other.ready = waited(other, place.latest + timing_.barrier);
      WarpScheduler& scheduler = schedulers_[number % kSchedulers];
      if (scheduler.next > now + 1) scheduler.next = std::clamp(other.ready, now + 1, scheduler.next);
    }
    place.arrived = 0;
    place.latest = 0;
  }

  const WarpTrace& trace_;
  const IssueTiming& timing_;
  const BlockSequence& blocks_;
  Random random_;
  std::vector<ResidentWarp> warps_;
  std::vector<BlockPlace> places_;
  std::size_t begun_ = 0;  // blocks
  std::array<WarpScheduler, kSchedulers> schedulers_;
  double pipe_free_ = 0, l2_free_ = 0;
  Schedule found_;
};

void check(const WarpTrace& trace, const IssueTiming& timing, const BlockSequence& blocks) {
  const auto is_known = [&](std::size_t number) { return number < trace.instructions.size(); };
  const auto has_board = [](const TracedInstruction& it) { return it.sets < static_cast<int>(kBoards); };
  if (trace.order.empty() || timing.queue == 0 || blocks.held == 0 || blocks.warps == 0)
    throw std::invalid_argument("a trace needs instructions, a queue, blocks and warps");
  if (blocks.held > blocks.blocks) throw std::invalid_argument("the SM holds more blocks than there are");
  if (!std::ranges::all_of(trace.order, is_known) || !std::ranges::all_of(trace.instructions, has_board))
    throw std::invalid_argument("the trace names an instruction or a scoreboard that is not there");
}

}  // namespace

Schedule schedule(const WarpTrace& trace, const IssueTiming& timing, const BlockSequence& blocks) {
  check(trace, timing, blocks);
  return Multiprocessor(trace, timing, blocks).run();
}

}  // namespace warpgrade::issue
