// The general and slowest method of the shared race check: the history of each word since the block's last
// barrier, with vector clocks of lanes and of warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "checks/clocks/lane_clock.hpp"
#include "machine/block.hpp"

namespace warpgrade::emulator {

// Memory order of an access. Two atomic accesses never race, nor does a volatile access with an atomic
// write (a flag that is set after a fence and polled).
enum class Strength : std::uint8_t { plain, is_volatile, atomic };

struct HistoryAccess {
  std::uint32_t thread = 0;  // linear in the block
  std::uint32_t instruction = 0;
  std::uint32_t word = 0;
  std::uint8_t bytes = 0xf;  // mask of the bytes of the word
  bool read = false, write = false;
  Strength strength = Strength::plain;
  bool releases = false;  // .release, which needs no fence
  bool acquires = true;   // the value that it reads may be a flag
};

class VectorClockHistory {
 public:
  // `now`: the owner's clock. Both count the same barriers, so their times can be compared.
  void block_begin(std::uint32_t words, std::uint32_t warps, std::uint32_t now);
  std::uint32_t now() const { return now_; }
  std::uint32_t floor() const { return floor_; }  // time of the block's last barrier
  // The warp's own clock: the time of its accesses since it last took part in a synchronisation.
  std::uint32_t now(std::uint32_t warp) const { return tick_[warp]; }
  // Indexed by warp: accesses before this time are ordered before what `warp` does now. The last entry is
  // unused, 0.
  const std::uint32_t* clock(std::uint32_t warp) const { return before_[warp].data(); }
  // The clocks of the warp's lanes; null unless parts of the warp have synchronised without the rest.
  const LaneClock* lane_clock(std::uint32_t warp) const { return lanes_[warp].get(); }

  struct Conflict {
    std::uint32_t thread = 0, instruction = 0;
    bool writes = false;
  };
  // Records the access. Returns the earliest one that it races with, if any.
  std::optional<Conflict> enter(const HistoryAccess& access);
  // Enters an access of one word by these lanes of one warp at once. Returns false, and
  // enters nothing, if the access may race, if the lanes order one another, or if parts of the warp have
  // synchronised without the rest.
  bool enter_quietly(const HistoryAccess& access, std::uint32_t lanes);
  // Records an access that was checked elsewhere, at its own time, without comparing it.
  void add_unchecked(const HistoryAccess& access, std::uint32_t lanes, std::uint32_t time);

  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  // The warp arrives at barrier `id`: its accesses are ordered before those of the warps that the barrier
  // releases.
  void arrival(std::uint32_t warp, std::uint32_t id);
  // One mask for each warp of the block.
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(std::uint32_t warp);
  // From now on, an acquire of the word `to` also acquires what was released through `from`.
  void hand_on(std::uint32_t from, std::uint32_t to);

 private:
  struct Record {
    std::uint32_t time, instruction, lanes;  // lanes of `warp` that made the same access at one time
    std::uint8_t warp, bytes;
    bool read, write;
    Strength strength;
  };
  // Atomic accesses of one kind by one warp. They race with non-atomic accesses only, so they are kept apart:
  // words at which all threads wait would otherwise have one record for each wait. The latest access of each
  // lane is enough: an access that races with an earlier one races with the latest, too.
  struct Updates {
    std::uint8_t warp, bytes;
    bool read, write;
    std::uint32_t lanes = 0;
    std::uint32_t time[kWarpSize] = {}, instruction[kWarpSize] = {};
  };
  static constexpr std::uint32_t kMostWarps = 32;
  using WarpClock =
      std::vector<std::uint32_t>;  // indexed by warp: that warp's accesses before this time are ordered
  // The clocks that were released through a word, and for each warp what it released itself.
  struct SharedRelease {
    std::uint32_t floor = 0;  // valid since this barrier of the block
    WarpClock all, own;
  };
  struct WordHistory {
    std::vector<Record> records;
    std::vector<std::vector<Updates>> updates;  // indexed by warp; empty until there is one
    std::unique_ptr<SharedRelease> released;    // null: nothing was released
  };
  bool may_conflict(const Record& earlier, const HistoryAccess& now, std::uint32_t lanes) const;
  std::uint32_t ordered(const Record& earlier, std::uint32_t warp, std::uint32_t lane) const;
  bool excused(const Record& earlier, const HistoryAccess& now) const;
  std::optional<Conflict> conflict_with(const Record& earlier, const HistoryAccess& now) const;
  std::uint32_t outdated(const Record& earlier, const HistoryAccess& now) const;
  std::optional<Conflict> conflict_with_updates(const WordHistory& word, const HistoryAccess& now) const;
  void remember(WordHistory& word, const HistoryAccess& access, std::uint32_t time) const;
  void remember_update(WordHistory& word, const HistoryAccess& access, std::uint32_t lanes,
                       std::uint32_t time) const;
  void remember_quietly(WordHistory& word, const HistoryAccess& access, std::uint32_t lanes) const;
  SharedRelease& release_of(std::uint32_t word);
  void release(const HistoryAccess& access);
  void acquire(const HistoryAccess& access);
  static void raise(WarpClock& to, const WarpClock& by);

  std::uint32_t now_ = 1, floor_ = 1, warps_ = 0;
  std::vector<WordHistory> words_;
  std::vector<std::uint32_t> tick_;                // indexed by warp
  std::vector<std::unique_ptr<LaneClock>> lanes_;  // indexed by warp, null until parts of it synchronise
  // Indexed by warp: its vector clock. The warp's own entry is the time of its last whole-warp barrier, or of
  // a release by one of its lanes that another of its lanes has acquired.
  std::vector<WarpClock> before_;
  std::vector<WarpClock> fenced_;  // before_ at the warp's last fence; empty: none yet
  std::map<std::uint32_t, WarpClock>
      arrived_;  // indexed by barrier: clocks of warps that arrived without waiting
};

}  // namespace warpgrade::emulator
