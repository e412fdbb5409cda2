#include "checks/shared_race/detector.hpp"

#include <algorithm>
#include <bit>

#include "checks/shared_race/finding.hpp"
#include "machine/block_checks.hpp"

namespace warpgrade::emulator {
namespace {

std::uint32_t clamp_instruction(std::uint32_t index) {
  return std::min(index, SharedShadowWord::kMostInstruction);
}

// An access of whole words that is not atomic.
bool is_plain(const Access& access) {
  return access.kind != Access::Kind::atomic && !access.is_strong && access.bytes >= 4;
}

// The bytes of a word that a lane's access covers.
std::uint8_t byte_mask(std::uint64_t address, unsigned bytes) {
  return static_cast<std::uint8_t>((bytes >= 4 ? 0xfu : (1u << bytes) - 1) << (address & 3));
}

}  // namespace

SharedRaceDetector::SharedRaceDetector(RaceNeeds needs) : needs_(needs), fast_(shared_race_fast_path()) {
  if (needs.history || needs.split) history_ = std::make_unique<VectorClockHistory>();
  if (needs.history) epochs_.emplace(*history_);
}

void SharedRaceDetector::block_begin(const Block& block) {
  words_ = (block.shared_bytes + 3) / 4;
  if (readers_.size() < words_) {
    readers_.resize(words_);
    writers_.resize(words_);
    second_by_.resize(words_);
  }
  modes_.assign(needs_.split ? words_ : 0, DetectionMode::records);
  if (updates_.size() < modes_.size()) {
    updates_.resize(modes_.size());
    second_update_by_.resize(modes_.size());
  }
  any_split_ = false;
  warp_floor_.resize(block.warps);
  log().bounds = nullptr;
  log().bounds_count = 0;
  copies_.block_begin(words_);
  begin_interval(true);
}

// Orders all earlier accesses before all later ones.
void SharedRaceDetector::begin_interval(bool fresh_block) {
  waiting_.forget();
  arrivals_.block_barrier();
  clear(log().written);
  add(log().written, copies_.begin(), copies_.end());
  if (history_) now_ = std::max(now_, history_->now());
  const bool restart = now_ > SharedShadowWord::kMostTime / 2;
  if (restart) restart_clock();
  const auto warps = static_cast<std::uint32_t>(warp_floor_.size());
  if (history_ && (fresh_block || restart))
    history_->block_begin(words_, warps, now_);
  else if (history_)
    history_->block_barrier();
  if (epochs_ && (fresh_block || restart))
    epochs_->block_begin(words_, warps, restart);
  else if (epochs_)
    epochs_->block_barrier();
  if (any_split_) modes_.assign(words_, DetectionMode::records);
  any_split_ = false;
  floor_ = ++now_;
  std::fill(warp_floor_.begin(), warp_floor_.end(), floor_);
  view_ = {.readers = readers_.data(),
           .writers = writers_.data(),
           .second_by = second_by_.data(),
           .now = now_,
           .floor = floor_};
  set_clock();
}

// Deferred reads are not affected by later changes of order: each has its own time.
void SharedRaceDetector::set_clock() {
  if (needs_.history) log().now = history_->now();
}

// Time has 20 bits. All records are ordered now, so they can be cleared.
void SharedRaceDetector::restart_clock() {
  std::fill(readers_.begin(), readers_.end(), 0);
  std::fill(writers_.begin(), writers_.end(), 0);
  now_ = 1;
}

void SharedRaceDetector::block_barrier() { begin_interval(false); }

void SharedRaceDetector::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  if (!needs_.history) check_deferred_reads();
  if (history_) history_->warp_barrier(warp, mask);
  // After half a million warp barriers between two barriers of the block, times no longer fit into a record.
  now_ = std::min(history_ ? history_->now() : now_ + 1, SharedShadowWord::kMostTime);
  view_.now = now_;
  if (mask == kFullMask) warp_floor_[warp] = now_;
  set_clock();
}

void SharedRaceDetector::arrival(std::uint32_t warp, std::uint32_t id) {
  if (history_) history_->arrival(warp, id);
  set_clock();
}

void SharedRaceDetector::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  if (!needs_.history) check_deferred_reads();
  if (history_) history_->partial_barrier(id, warp_masks);
  set_clock();
}

void SharedRaceDetector::fence(const Warp& warp) {
  if (!needs_.history) check_deferred_reads();
  if (history_) history_->fence(warp.index);
  set_clock();
}

void SharedRaceDetector::mbarrier_arrived(const MbarrierArrival& arrival) {
  if (history_) arrivals_.arrived(arrival, *history_);
}

void SharedRaceDetector::phase_completed(std::uint32_t offset) {
  if (history_) history_->hand_on(offset / 4, offset / 4 + 1);
}

// A thread of the shadow word `with` that the access is not ordered after, if any.
std::optional<SharedRaceDetector::Conflict> SharedRaceDetector::conflict_with(SharedShadowWord with,
                                                                              const WordAccess& piece,
                                                                              bool writers,
                                                                              std::uint32_t second_by) const {
  if (with.time() < floor_ || (with.atomic() && piece.atomic)) return {};
  const std::uint32_t warp = piece.thread / kWarpSize;
  const auto other = [&](std::uint32_t thread) {
    return Conflict{thread, thread == with.first() ? with.instruction() : second_by, writers};
  };
  const bool ordered_in_warp = with.time() < warp_floor_[warp];
  for (const std::uint32_t thread : {with.first(), with.second()}) {
    const bool is_there = thread == with.first() || with.holders() != Holders::one;
    if (!is_there || thread == piece.thread) continue;
    if (thread / kWarpSize != warp || !ordered_in_warp) return other(thread);
  }
  return {};
}

std::optional<SharedRaceDetector::Conflict> SharedRaceDetector::conflict_with_readers(
    const WordAccess& piece) const {
  return conflict_with({readers_[piece.word]}, piece, false, second_by_[piece.word]);
}

std::optional<SharedRaceDetector::Conflict> SharedRaceDetector::conflict_with_writers(
    const WordAccess& piece) const {
  const SharedShadowWord writers{writers_[piece.word]};
  return conflict_with(writers, piece, true, writers.instruction());
}

// The shadow word after one more thread has made the same kind of access without a race.
SharedShadowWord SharedRaceDetector::join(SharedShadowWord known, const WordAccess& piece) const {
  const SharedShadowWord alone =
      SharedShadowWord::of(now_, Holders::one, piece.atomic, piece.thread, 0, piece.instruction);
  if (known.time() < floor_) return alone;
  if (known.holders() >= Holders::many_warps) return known;
  const bool of_warp = known.first() / kWarpSize == piece.thread / kWarpSize;
  const bool own = known.holders() == Holders::one && known.first() == piece.thread;
  if (own || (of_warp && known.time() < warp_floor_[piece.thread / kWarpSize])) return alone;
  const std::uint32_t second =
      of_warp && known.holders() == Holders::one_warp ? known.second() : piece.thread;
  return SharedShadowWord::of(known.time(), of_warp ? Holders::one_warp : Holders::many_warps, piece.atomic,
                              known.first(), second, known.instruction());
}

std::optional<SharedRaceDetector::Conflict> SharedRaceDetector::enter_records(const WordAccess& piece) {
  // Check against readers first: `bins[i] += 1` by several threads is one error, and is reported once.
  std::optional<Conflict> met = piece.write ? conflict_with_readers(piece) : std::nullopt;
  if (!met) met = conflict_with_writers(piece);
  remember(piece);
  return met;
}

void SharedRaceDetector::remember(const WordAccess& piece) {
  SharedShadowWord readers{readers_[piece.word]}, writers{writers_[piece.word]};
  if (piece.write) {
    // Whatever would race with these readers races with a plain write too.
    if (!piece.atomic) readers = {};
    writers = piece.atomic
                  ? join(writers, piece)
                  : SharedShadowWord::of(now_, Holders::one, false, piece.thread, 0, piece.instruction);
    writers_[piece.word] = writers.bits;
  } else {
    const SharedShadowWord known = readers;
    readers = join(readers, piece);
    if (readers.bits != known.bits && readers.holders() != Holders::one)
      second_by_[piece.word] = piece.instruction;
    const bool settled = readers.holders() == Holders::many_warps && writers.time() < floor_ && !piece.atomic;
    if (settled) readers.bits |= std::uint64_t{1} << SharedShadowWord::kHoldersShift;
  }
  readers_[piece.word] = readers.bits;
}

namespace {

HistoryAccess in_history(const SharedRaceDetector::WordAccess& piece, const Access& access) {
  return {.thread = piece.thread,
          .instruction = piece.instruction,
          .word = piece.word,
          .bytes = piece.bytes,
          .read = piece.read,
          .write = piece.write,
          .strength = piece.atomic         ? Strength::atomic
                      : access.is_volatile ? Strength::is_volatile
                                           : Strength::plain,
          .releases = access.releases,
          .acquires = !access.is_data};
}

SharedRaceDetector::WordAccess piece_of(const Access& access, unsigned lane, unsigned word) {
  const std::uint64_t address = access.of(lane);
  return {.word = static_cast<std::uint32_t>(address / 4 + word),
          .thread = access.warp->index * kWarpSize + lane,
          .instruction = clamp_instruction(access.at->index),
          .bytes = byte_mask(address, access.bytes),
          .read = access.kind != Access::Kind::write,
          .write = access.kind != Access::Kind::read,
          .atomic = access.kind == Access::Kind::atomic || access.is_strong};
}

// The first lane of `left`, and lanes that access the same words and need no check among each other: adjacent
// lanes, or lanes of the other half.
std::uint32_t lanes_together(const Access& access, std::uint32_t left) {
  const auto first = static_cast<unsigned>(std::countr_zero(left));
  std::uint32_t lanes = 1u << first;
  if (access.kind == Access::Kind::write) return lanes;
  const std::uint64_t address = access.of(first);
  const auto joins = [&](unsigned lane) {
    const bool same = (left >> lane & 1u) != 0 && access.of(lane) == address;
    lanes |= static_cast<std::uint32_t>(same) << lane;
    return same;
  };
  for (unsigned lane = first + 1; lane < kWarpSize && joins(lane);) ++lane;
  if (first < 16) joins(first + 16);
  return lanes;
}

}  // namespace

std::optional<SharedRaceDetector::Conflict> SharedRaceDetector::enter(const WordAccess& piece,
                                                                      const Access& access) {
  if (!needs_.history) {
    if (!needs_.split) return enter_records(piece);
    const DetectionMode mode = detection_mode_of(piece, access);
    if (mode == DetectionMode::records) return enter_records(piece);
    if (mode == DetectionMode::mixed && enter_mixed(piece)) return {};
    move_to_history(piece.word);
  }
  return history_->enter(in_history(piece, access));
}

// Checks one lane's access to one word; true if it races.
bool SharedRaceDetector::check_word(const Access& access, unsigned lane, unsigned word,
                                    WorstConflict& found) {
  const WordAccess piece = piece_of(access, lane, word);
  const std::optional<Conflict> met = enter(piece, access);
  if (!met || !is_used(access, word * 4)) return false;
  checks_of(*access.warp->block).raced(piece.word);
  const bool same = is_same_value(access, static_cast<int>(lane), *met);
  if (found.other && (same || !found.same_value)) return true;
  found.other = met;
  found.lane = static_cast<int>(lane);
  found.offset = piece.word * 4;
  found.same_value = same;
  return true;
}

// Records all lanes that access one word in the same way. False if each lane must be checked on its own.
bool SharedRaceDetector::enter_together(const Access& access, std::uint32_t lanes, unsigned word) {
  if (!needs_.history) return false;
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const HistoryAccess all = in_history(piece_of(access, first, word), access);
  if (!epochs_->is_apart(all.word)) {
    if (is_plain(access) && !access.is_volatile && epochs_->enter(all, lanes)) return true;
    epochs_->take_apart(all.word);
  }
  return history_->enter_quietly(all, lanes);
}

SharedRaceDetector::WorstConflict SharedRaceDetector::find_worst_conflict(const Access& access) {
  WorstConflict found;
  const unsigned words = std::max(1u, access.bytes / 4u);
  std::uint32_t raced = 0;
  for (std::uint32_t left = lanes_left_after_atomics(access); left != 0;) {
    const std::uint32_t lanes = needs_.history ? lanes_together(access, left) : left & -left;
    left &= ~lanes;
    for (unsigned i = 0; i < words; ++i) {
      if (enter_together(access, lanes, i)) continue;
      for (std::uint32_t each = lanes; each != 0; each &= each - 1)
        if (check_word(access, static_cast<unsigned>(std::countr_zero(each)), i, found))
          raced |= each & -each;
    }
  }
  found.lanes = static_cast<std::uint32_t>(std::popcount(raced));
  return found;
}

// Checks deferred reads as if they happened now, or at their own time where time has advanced.
void SharedRaceDetector::check_deferred_reads() {
  waiting_.take([&](const Access& access, std::uint32_t time) {
    if (needs_.history)
      enter_deferred(access, time);
    else
      enter(access);
  });
}

// Records a deferred read of words without an earlier write, at its own time.
void SharedRaceDetector::enter_deferred(const Access& access, std::uint32_t time) {
  for (std::uint32_t left = access.mask; left != 0;) {
    const std::uint32_t lanes = lanes_together(access, left);
    left &= ~lanes;
    for (unsigned i = 0; i < access.bytes / 4u || i == 0; ++i) {
      const auto first = static_cast<unsigned>(std::countr_zero(lanes));
      const HistoryAccess read = in_history(piece_of(access, first, i), access);
      if (!epochs_->is_apart(read.word) && read.bytes == 0xf && epochs_->enter_deferred(read, lanes, time))
        continue;
      epochs_->take_apart(read.word);
      history_->add_unchecked(read, lanes, time);
    }
  }
}

// A barrier does not complete an asynchronous copy: only the issuing thread can wait for it.
void SharedRaceDetector::check_in_flight_copies(const Access& access, ByteRange range) {
  if (access.is_async && !is_issue(access)) return copies_.finish(access);
  if (const auto met = copies_.conflict_with(access, range)) {
    for (const std::uint32_t word : met->words) checks_of(*access.warp->block).raced(word);
    report_race(
        {access, met->lane, met->lanes, met->offset, met->thread, met->instruction, true, false, true});
  }
  if (is_issue(access)) copies_.issue(access);
}

void SharedRaceDetector::access(const Access& access) {
  const ByteRange range = range_of(access);
  if (is_issue(access) || (range.begin < copies_.end() && range.end > copies_.begin()))
    check_in_flight_copies(access, range);
  ReadLog& log = waiting_.log();
  const bool is_read = access.kind == Access::Kind::read;
  if (is_read && !access.is_volatile && !access.is_strong && !overlaps(log.written, range.begin, range.end)) {
    if (waiting_.is_full(access)) check_deferred_reads();
    return waiting_.keep(access, range);
  }
  if (!is_read) add(log.written, range.begin, range.end);
  if ((!is_read || !needs_.history) && waiting_.overlap(range)) check_deferred_reads();
  enter(access);
  set_clock();
}

void SharedRaceDetector::enter(const Access& access) {
  const std::uint32_t instruction = clamp_instruction(access.at->index);
  if (needs_.history) {
    if (is_plain(access) && !access.is_volatile && epochs_->enter(access, instruction)) return;
  } else if (is_plain(access) && !any_split_) {
    view_.warp_floor = warp_floor_[access.warp->index];
    view_.first_thread = access.warp->index * kWarpSize;
    view_.instruction = instruction;
    if (fast_(access, view_)) return;
  }
  const WorstConflict found = find_worst_conflict(access);
  if (!found.other) return;
  report_race({access, found.lane, found.lanes, found.offset, found.other->thread, found.other->instruction,
               found.other->writes, found.same_value});
}

}  // namespace warpgrade::emulator
