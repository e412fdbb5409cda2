#include "checks/shared_race/epochs.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace warpgrade::emulator {

namespace {

// Finds the pattern of the halves for an access that comes as 32 addresses.
std::optional<Access> with_patterns(const Access& access) {
  Access known = access;
  for (unsigned half = 0; half < 2 && !access.known(); ++half) {
    const std::uint64_t* const address = access.address + 16 * half;
    const std::uint64_t step = address[1] - address[0];
    if (step != 0 && step != access.bytes) return {};
    for (unsigned i = 2; i < 16; ++i)
      if (address[i] != address[0] + i * step) return {};
    known.half[half] = step == 0 ? Access::LanePattern::uniform : Access::LanePattern::packed;
    known.first[half] = address[0];
  }
  return known;
}

}  // namespace

void AccessEpochs::block_begin(std::uint32_t words, std::uint32_t warps, bool turned_back) {
  if (words > stride_ || warps > warps_) {
    stride_ = std::max<std::size_t>(stride_, words);
    warps_ = std::max(warps_, warps);
    turned_back = true;
  }
  block_barrier();
  if (!turned_back) return;
  for (auto* each : {&written_, &writer_, &written_by_}) each->assign(stride_, 0);
  for (auto* each : {&read_, &readers_, &read_by_, &read_last_by_}) each->assign(stride_ * warps_, 0);
  last_read_.assign(warps_, 0);
}

void AccessEpochs::block_barrier() {
  for (const std::uint32_t word : apart_) written_[word] = writer_[word] = 0;
  apart_.clear();
}

EpochView AccessEpochs::view_of(std::uint32_t warp, std::uint32_t instruction) {
  return {.written = written_.data(),
          .writer = writer_.data(),
          .written_by = written_by_.data(),
          .read = read_.data(),
          .readers = readers_.data(),
          .read_by = read_by_.data(),
          .read_last_by = read_last_by_.data(),
          .stride = stride_,
          .last_read = last_read_.data(),
          .clock = history_.clock(warp),
          .warps = warps_,
          .warp = warp,
          .instruction = instruction,
          .floor = history_.floor(),
          .now = history_.now(warp)};
}

bool AccessEpochs::enter(const Access& access, std::uint32_t instruction) {
  const std::uint32_t warp = access.warp->index;
  const EpochView view = view_of(warp, instruction);
  const bool is_read = access.kind == Access::Kind::read;
  if (is_read) last_read_[warp] = view.now;
  if (history_.lane_clock(warp) == nullptr && access.mask == kFullMask)
    if (const std::optional<Access> known = with_patterns(access)) return fast_(*known, view);
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t first = access.of(lane) / 4;
    for (auto word = static_cast<std::uint32_t>(first); word < first + access.bytes / 4; ++word)
      if (!(is_read ? read(view, word, 1u << lane, view.now) : write(view, word, lane))) return false;
  }
  return true;
}

// Whether the accesses of the lanes `others` at `time` are ordered before the current access of each lane in
// `lanes`. Both masks are of the view's warp.
bool AccessEpochs::is_behind(const EpochView& view, std::uint32_t lanes, std::uint32_t others,
                             std::uint32_t time) const {
  const LaneClock* const parts = history_.lane_clock(view.warp);
  if (parts == nullptr) return others == 0;
  for (; lanes != 0; lanes &= lanes - 1)
    for (std::uint32_t left = others; left != 0; left &= left - 1)
      if (time >= parts->before(static_cast<std::uint32_t>(std::countr_zero(lanes)),
                                static_cast<std::uint32_t>(std::countr_zero(left))))
        return false;
  return true;
}

bool AccessEpochs::is_behind_write(const EpochView& view, std::uint32_t word, std::uint32_t lanes) const {
  const std::uint32_t time = written_[word], writer = writer_[word];
  if (time < view.clock[writer / kWarpSize]) return true;
  if (writer / kWarpSize != view.warp) return false;
  const std::uint32_t by = 1u << writer % kWarpSize, others = lanes & ~by;
  return others == 0 || is_behind(view, others, by, time);
}

bool AccessEpochs::is_behind_reads(const EpochView& view, std::uint32_t word, std::uint32_t lane) const {
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    const std::size_t at = warp * stride_ + word;
    if (last_read_[warp] < view.floor || read_[at] < view.clock[warp]) continue;
    if (warp != view.warp || !is_behind(view, 1u << lane, readers_[at] & ~(1u << lane), read_[at]))
      return false;
  }
  return true;
}

bool AccessEpochs::write(const EpochView& view, std::uint32_t word, std::uint32_t lane) {
  if (!is_behind_write(view, word, 1u << lane) || !is_behind_reads(view, word, lane)) return false;
  // If parts of the warp have synchronised, its lanes have acquired different things from other warps. A
  // later access by another lane must still be compared with those warps' accesses, so keep their records.
  const bool parts = history_.lane_clock(view.warp) != nullptr;
  if (parts && written_[word] >= view.floor && writer_[word] / kWarpSize != view.warp) return false;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    if (last_read_[warp] < view.floor) continue;
    std::uint32_t& time = read_[warp * stride_ + word];
    if (parts && warp != view.warp && time >= view.floor) return false;
    time = 0;
  }
  written_[word] = view.now;
  writer_[word] = view.warp * kWarpSize + lane;
  written_by_[word] = view.instruction;
  return true;
}

// Reads at the same time share one record. A later read replaces earlier ones that are ordered before it or
// were made by the same lanes.
bool AccessEpochs::read(const EpochView& view, std::uint32_t word, std::uint32_t lanes, std::uint32_t time) {
  if (!is_behind_write(view, word, lanes)) return false;
  const std::size_t at = view.warp * stride_ + word;
  const std::uint32_t ordered = view.clock[view.warp], known = read_[at];
  const std::uint32_t by = view.instruction | static_cast<std::uint32_t>(std::countr_zero(lanes))
                                                  << kLaneShift;
  if (known == time) {
    readers_[at] |= lanes;
    read_last_by_[at] = by;
    return true;
  }
  if (known > time && (time < ordered || (lanes & ~readers_[at]) == 0)) return true;
  const std::uint32_t others = readers_[at] & ~lanes;
  const bool late = time < view.now && others != 0;  // the lanes' vector clocks of that time are lost
  if (known >= ordered && (known > time || late || !is_behind(view, lanes, others, known))) return false;
  read_[at] = time;
  readers_[at] = lanes;
  read_by_[at] = read_last_by_[at] = by;
  last_read_[view.warp] = std::max(last_read_[view.warp], time);
  return true;
}

bool AccessEpochs::enter(const HistoryAccess& access, std::uint32_t lanes) {
  const EpochView view = view_of(access.thread / kWarpSize, access.instruction);
  return access.write ? write(view, access.word, access.thread % kWarpSize)
                      : read(view, access.word, lanes, view.now);
}

bool AccessEpochs::enter_deferred(const HistoryAccess& access, std::uint32_t lanes, std::uint32_t time) {
  const EpochView view = view_of(access.thread / kWarpSize, access.instruction);
  return read(view, access.word, lanes, std::min(time, view.now));
}

void AccessEpochs::take_apart(std::uint32_t word) {
  constexpr std::uint32_t kInstruction = (1u << kLaneShift) - 1;
  if (is_apart(word)) return;
  const auto adopt = [&](std::uint32_t warp, std::uint32_t lanes, std::uint32_t by, std::uint32_t time,
                         bool is_write) {
    const HistoryAccess access{
        .thread = warp * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(lanes)),
        .instruction = by,
        .word = word,
        .read = !is_write,
        .write = is_write};
    if (lanes != 0) history_.add_unchecked(access, lanes, time);
  };
  adopt(writer_[word] / kWarpSize, 1u << writer_[word] % kWarpSize, written_by_[word], written_[word], true);
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    const std::size_t at = warp * stride_ + word;
    if (read_[at] < history_.floor()) continue;
    // The instruction is known for the first and the last reader only, so they come first.
    std::uint32_t left = readers_[at];
    for (const std::uint32_t by : {read_by_[at], read_last_by_[at]}) {
      adopt(warp, left & 1u << (by >> kLaneShift), by & kInstruction, read_[at], false);
      left &= ~(1u << (by >> kLaneShift));
    }
    adopt(warp, left, read_last_by_[at] & kInstruction, read_[at], false);
    read_[at] = 0;
  }
  written_[word] = ~0u;
  writer_[word] = kApart;
  apart_.push_back(word);
}

}  // namespace warpgrade::emulator
