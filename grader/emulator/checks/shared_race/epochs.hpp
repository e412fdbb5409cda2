// The epoch method of the shared race check, for kernels that synchronise by more than barriers of the block.
// It keeps the last write of each word and, for each warp, the reads since. This is enough as long as each
// access is ordered after all accesses that it could race with: then accesses before a write need no record.
//
// Other words (accessed atomically or in part, read at different times by unordered lanes, or racing) are
// handled by VectorClockHistory until the block's next barrier. The idea of one epoch for the last write and
// many for reads follows FastTrack (Flanagan and Freund, 2009).
#pragma once

#include <cstdint>
#include <vector>

#include "checks/shared_race/lanes/epochs.hpp"
#include "checks/shared_race/vector_clocks.hpp"

namespace warpgrade::emulator {

class AccessEpochs {
 public:
  explicit AccessEpochs(VectorClockHistory& history) : history_(history), fast_(epochs_fast()) {}
  // `turned_back`: the clock has been reset, so clear all records.
  void block_begin(std::uint32_t words, std::uint32_t warps, bool turned_back);
  void block_barrier();

  // A plain access of whole words by a full warp. False if it has to be entered word by word.
  bool enter(const Access& access, std::uint32_t instruction);
  // An access to one word by these lanes of one warp (one lane for a write). Returns false if the word's
  // history must decide: see take_apart().
  bool enter(const HistoryAccess& access, std::uint32_t lanes);
  // A read at its own time, of a word that had not been written by then.
  bool enter_deferred(const HistoryAccess& access, std::uint32_t lanes, std::uint32_t time);

  bool is_apart(std::uint32_t word) const { return writer_[word] == kApart; }
  void take_apart(std::uint32_t word);

 private:
  static constexpr std::uint32_t kApart = 1024;  // not a thread; the clock of this number's warp is 0

  EpochView view_of(std::uint32_t warp, std::uint32_t instruction);
  bool is_behind(const EpochView& view, std::uint32_t lanes, std::uint32_t others, std::uint32_t time) const;
  bool is_behind_write(const EpochView& view, std::uint32_t word, std::uint32_t lanes) const;
  bool is_behind_reads(const EpochView& view, std::uint32_t word, std::uint32_t lane) const;
  bool write(const EpochView& view, std::uint32_t word, std::uint32_t lane);
  bool read(const EpochView& view, std::uint32_t word, std::uint32_t lanes, std::uint32_t time);

  VectorClockHistory& history_;
  const EpochsFast fast_;
  std::uint32_t warps_ = 0;
  std::size_t stride_ = 0;
  // The arrays that EpochView points to.
  std::vector<std::uint32_t> written_, writer_, written_by_, read_, readers_, read_by_, read_last_by_,
      last_read_;
  std::vector<std::uint32_t> apart_;  // words
};

}  // namespace warpgrade::emulator
