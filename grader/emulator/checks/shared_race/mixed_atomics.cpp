// Words whose shadow word is not precise enough (mixed plain and atomic accesses, sub-word accesses): which
// slower method handles them.
#include <bit>
#include <utility>

#include "checks/shared_race/detector.hpp"

namespace warpgrade::emulator {

void SharedRaceDetector::copy_to_history(SharedShadowWord record, std::uint32_t word, bool write,
                                         std::uint32_t second_by) {
  const auto one = [&](std::uint32_t thread, std::uint32_t instruction) {
    history_->add_unchecked({.thread = thread,
                             .instruction = instruction,
                             .word = word,
                             .read = !write,
                             .write = write,
                             .strength = record.atomic() ? Strength::atomic : Strength::plain},
                            1u << thread % kWarpSize, record.time());
  };
  one(record.first(), record.instruction());
  if (record.holders() != Holders::one) one(record.second(), second_by);
}

// The history checks sub-word accesses, and accesses that race with some of the atomics only.
SharedRaceDetector::DetectionMode SharedRaceDetector::detection_mode_of(const WordAccess& piece,
                                                                        const Access& access) {
  const SharedShadowWord writers{writers_[piece.word]}, readers{readers_[piece.word]};
  const auto differs = [&](SharedShadowWord record) {
    return record.time() >= floor_ && record.atomic() != piece.atomic;
  };
  DetectionMode& mode = modes_[piece.word];
  if (mode == DetectionMode::history) return mode;
  const bool mixes = mode == DetectionMode::mixed || differs(writers) || differs(readers);
  if (piece.bytes == 0xf && !mixes) return mode;
  const bool load = piece.atomic && !piece.write, loaded = readers.time() >= floor_ && readers.atomic();
  if (piece.bytes != 0xf || access.is_volatile || load || loaded)
    move_to_history(piece.word);
  else if (mode == DetectionMode::records)
    track_atomics_apart(piece.word);
  return mode;
}

// Atomics conflict with none in words without other accesses since the last barrier: that of the block, or of
// the warp where only this warp accessed them. The remaining lanes must be checked one by one.
std::uint32_t SharedRaceDetector::lanes_left_after_atomics(const Access& access) {
  if (access.kind != Access::Kind::atomic || access.bytes != 4 || needs_.history || modes_.empty())
    return access.mask;
  WordAccess piece{.instruction = access.at->index, .read = true, .write = true, .atomic = true};
  if (piece.instruction > SharedShadowWord::kMostInstruction) return access.mask;
  const std::uint32_t warp = access.warp->index;
  const auto is_plain = [&](SharedShadowWord record) { return record.time() >= floor_ && !record.atomic(); };
  const auto is_ordered = [&](SharedShadowWord record) {
    const bool of_warp = record.holders() <= Holders::one_warp && record.first() / kWarpSize == warp;
    return record.time() < floor_ || (of_warp && record.time() < warp_floor_[warp]);
  };
  std::uint32_t others = 0;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    piece.word = static_cast<std::uint32_t>(access.of(lane) / 4);
    piece.thread = warp * kWarpSize + lane;
    const SharedShadowWord readers{readers_[piece.word]}, writers{writers_[piece.word]};
    if (modes_[piece.word] == DetectionMode::records && !is_plain(writers) && !is_plain(readers))
      writers_[piece.word] = join(writers, piece).bits;
    else if (modes_[piece.word] == DetectionMode::mixed && is_ordered(writers) && is_ordered(readers))
      update_atomics(piece);
    else
      others |= 1u << lane;
  }
  return others;
}

void SharedRaceDetector::track_atomics_apart(std::uint32_t word) {
  modes_[word] = DetectionMode::mixed;
  any_split_ = true;
  const SharedShadowWord writers{writers_[word]};
  updates_[word] = second_update_by_[word] = 0;
  if (!writers.atomic()) return;
  std::swap(writers_[word], updates_[word]);
  second_update_by_[word] = writers.instruction();
}

// Until the block's next barrier the history checks this word, byte by byte.
void SharedRaceDetector::move_to_history(std::uint32_t word) {
  const SharedShadowWord writers{writers_[word]};
  if (modes_[word] == DetectionMode::history) return;
  if (modes_[word] == DetectionMode::mixed)
    copy_to_history({updates_[word]}, word, true, second_update_by_[word]);
  modes_[word] = DetectionMode::history;
  any_split_ = true;
  copy_to_history(writers, word, true, writers.instruction());
  copy_to_history({readers_[word]}, word, false, second_by_[word]);
}

// Compares atomics with plain accesses, which are recorded separately. Older records of both kinds are
// dropped after a plain write.
bool SharedRaceDetector::enter_mixed(const WordAccess& piece) {
  std::uint64_t& updates = updates_[piece.word];
  if ((piece.write && conflict_with_readers(piece)) || conflict_with_writers(piece) ||
      conflict_with({updates}, piece, true, 0))
    return false;
  if (!piece.atomic) {
    remember(piece);
    if (piece.write) updates = 0;
    return true;
  }
  update_atomics(piece);
  return true;
}

void SharedRaceDetector::update_atomics(const WordAccess& piece) {
  std::uint64_t& updates = updates_[piece.word];
  const SharedShadowWord joined = join({updates}, piece);
  if (joined.bits != updates && joined.holders() != Holders::one)
    second_update_by_[piece.word] = piece.instruction;
  updates = joined.bits;
}

}  // namespace warpgrade::emulator
