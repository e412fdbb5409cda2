// Races on the shared memory of one block: two accesses to the same bytes by different threads, at least one
// of them a write, with nothing that orders them.
//
// There are three methods, from fast to general:
// - Shadow words (shadow_word.hpp), for kernels that synchronise only by barriers of whole blocks and whole
//   warps: one record of writers and one of readers for each word, and one of atomics if the word is accessed
//   both atomically and plainly between two barriers.
// - Epochs (epochs.hpp), for kernels with partial barriers, fences, or acquire and release: the last write of
//   each word, and each warp's reads since that write.
// - The history of a word (vector_clocks.hpp), where the others do not suffice: words that are accessed
//   atomically, or by accesses narrower than a word.
// Each method reports a word if and only if two executed accesses were not ordered, whatever the schedule
// was.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "checks/shared_race/async_copies.hpp"
#include "checks/shared_race/deferred_reads.hpp"
#include "checks/shared_race/epochs.hpp"
#include "checks/shared_race/lanes/detector.hpp"
#include "checks/shared_race/phase_arrivals.hpp"
#include "checks/shared_race/shadow_word.hpp"
#include "checks/shared_race/vector_clocks.hpp"
#include "machine/kernel_facts/race_needs.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class SharedRaceDetector {
 public:
  // Checks one block of a kernel after another.
  explicit SharedRaceDetector(RaceNeeds needs);
  void block_begin(const Block& block);

  void access(const Access& access);  // an access to shared memory, also the issue of a copy to it
  ReadLog& log() { return waiting_.log(); }
  // One lane's part of an access that lies in one word.
  struct WordAccess {
    std::uint32_t word = 0, thread = 0, instruction = 0;
    std::uint8_t bytes = 0xf;
    bool read = false, write = false, atomic = false;
  };
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);  // see BlockClock
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(const Warp& warp);
  void mbarrier_arrived(const MbarrierArrival& arrival);
  void phase_completed(std::uint32_t offset);

 private:
  using Conflict = VectorClockHistory::Conflict;
  // The most severe conflict of one access.
  struct WorstConflict {
    std::optional<Conflict> other;
    int lane = 0;
    std::uint32_t offset = 0;  // offset of the word
    bool same_value = false;
    std::uint32_t lanes = 0;
  };

  void check_in_flight_copies(const Access& access, ByteRange range);
  void check_deferred_reads();

  void enter(const Access& access);
  void enter_deferred(const Access& access, std::uint32_t time);
  void set_clock();
  WorstConflict find_worst_conflict(const Access& access);
  bool check_word(const Access& access, unsigned lane, unsigned word, WorstConflict& found);
  bool enter_together(const Access& access, std::uint32_t lanes, unsigned word);
  std::optional<Conflict> enter(const WordAccess& piece, const Access& access);
  std::optional<Conflict> enter_records(const WordAccess& piece);
  void remember(const WordAccess& piece);
  // `second_by`: the instruction of the record's second thread.
  std::optional<Conflict> conflict_with(SharedShadowWord with, const WordAccess& piece, bool writers,
                                        std::uint32_t second_by) const;
  std::optional<Conflict> conflict_with_readers(const WordAccess& piece) const;
  std::optional<Conflict> conflict_with_writers(const WordAccess& piece) const;
  SharedShadowWord join(SharedShadowWord known, const WordAccess& piece) const;
  // Detection mode of a word until the block's next barrier.
  enum class DetectionMode : std::uint8_t { records, mixed, history };
  DetectionMode detection_mode_of(const WordAccess& piece, const Access& access);
  std::uint32_t lanes_left_after_atomics(const Access& access);
  void track_atomics_apart(std::uint32_t word);
  bool enter_mixed(const WordAccess& piece);     // false: it may race, and the history decides
  void update_atomics(const WordAccess& piece);  // an atomic on a mixed word
  void move_to_history(std::uint32_t word);
  void copy_to_history(SharedShadowWord record, std::uint32_t word, bool write, std::uint32_t second_by);
  void begin_interval(bool fresh_block);
  void restart_clock();

  const RaceNeeds needs_;
  const SharedRaceFastPath fast_;
  DeferredReads waiting_;
  InFlightCopies copies_;
  std::vector<std::uint64_t> readers_, writers_;
  std::vector<std::uint32_t> second_by_;  // see SharedShadowView
  std::vector<DetectionMode> modes_;      // indexed by word
  // Indexed by word in DetectionMode::mixed: the record of its atomics, and the instruction of that record's
  // second thread.
  std::vector<std::uint64_t> updates_;
  std::vector<std::uint32_t> second_update_by_;
  bool any_split_ = false;  // some word is not in DetectionMode::records
  std::unique_ptr<VectorClockHistory> history_;
  PhaseArrivals arrivals_;
  std::optional<AccessEpochs> epochs_;  // only if RaceNeeds::history is set
  std::uint32_t words_ = 0;
  std::uint32_t now_ = 1, floor_ = 1;
  SharedShadowView view_;
  std::vector<std::uint32_t> warp_floor_;
};

}  // namespace warpgrade::emulator
