// Shadow word: the last accesses to a unit (4 bytes, or one) of global memory, in 64 bits.
//
//   bit  63     0
//   bits 62–40  segment: a block's time between two of its barriers or fences. Numbers grow over all
//               launches. One below the launch's first is of an earlier launch, so nothing is ever cleared
//   bits 39–36  what was done and by how many: see Holding
//   bits 35–26  the first thread
//   bits 25–16  readers, atomics: a second thread of the block, if there are several
//               writers: a hash of the value
//   bits 15–2   access site of the first thread, an index in GlobalRaceDetector::places_
//   bit  1      writers: the value was there already; atomics: of block scope
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

enum class Holding : std::uint8_t {
  nothing,
  read,          // by one thread
  read_by_warp,  // two lanes or more of one warp, none ordered before another
  read_by_block,
  read_by_many,  // by several blocks
  written,
  stored_strongly,  // .volatile, .relaxed, .release
  atomic,           // by one thread
  atomic_by_block,  // two threads or more
  atomic_by_many,   // by several blocks
  apart,            // only as the record of a row: its units have records of their own
};

struct GlobalShadowWord {
  static constexpr unsigned kSegmentShift = 40, kHoldingShift = 36, kFirstShift = 26, kSecondShift = 16,
                            kSiteShift = 2;
  static constexpr std::uint32_t kMostSegment = (1u << 23) - 1, kMostSite = (1u << 14) - 1;
  static constexpr std::uint64_t kMarked = 2;

  std::uint64_t bits = 0;

  static GlobalShadowWord of(std::uint32_t segment, Holding holding, std::uint32_t first,
                             std::uint32_t second, std::uint32_t site, bool marked) {
    return {std::uint64_t{segment} << kSegmentShift | static_cast<std::uint64_t>(holding) << kHoldingShift |
            std::uint64_t{first} << kFirstShift | std::uint64_t{second & 1023u} << kSecondShift |
            std::uint64_t{site} << kSiteShift | (marked ? kMarked : 0)};
  }
  std::uint32_t segment() const { return static_cast<std::uint32_t>(bits >> kSegmentShift); }
  Holding holding() const { return static_cast<Holding>(bits >> kHoldingShift & 15u); }
  std::uint32_t first() const { return static_cast<std::uint32_t>(bits >> kFirstShift) & 1023u; }
  std::uint32_t second() const { return static_cast<std::uint32_t>(bits >> kSecondShift) & 1023u; }
  std::uint32_t site() const { return static_cast<std::uint32_t>(bits >> kSiteShift) & kMostSite; }
  bool marked() const { return (bits & kMarked) != 0; }

  bool is_read() const { return holding() >= Holding::read && holding() <= Holding::read_by_many; }
  bool is_atomic() const { return holding() >= Holding::atomic && holding() <= Holding::atomic_by_many; }
  bool has_second() const {
    return holding() == Holding::read_by_warp || holding() == Holding::read_by_block ||
           holding() == Holding::atomic_by_block;
  }
};

}  // namespace warpgrade::emulator
