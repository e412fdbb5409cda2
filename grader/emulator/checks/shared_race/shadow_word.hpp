// Shadow words of shared memory: for each word one 64-bit record of its last writers and one of its readers.
//
//   bit  63     0
//   bits 62–43  time of the access: counted up at each barrier, so that older than the block's last barrier
//               means "long ago, ordered": nothing is ever cleared
//   bits 42–41  how many: see Readers
//   bit  40     all of them were atomic (or .relaxed, .acquire, .release)
//   bits 39–30  a second thread, if there are several
//   bits 29–20  the first thread
//   bits 19–0   DecodedInstruction::index of the first; that of the second reader is in SharedShadowView
//
// The idea of an epoch with one of a few states for each word follows HiRace.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

enum class Holders : std::uint64_t {
  one = 0,
  one_warp = 1,    // two lanes or more of one warp, none ordered before another
  many_warps = 2,  // in two warps or more
  settled = 3,     // readers only: many_warps, and no writer since the last barrier. One more changes nothing
};

struct SharedShadowWord {
  static constexpr unsigned kTimeShift = 43, kHoldersShift = 41, kSecondShift = 30, kFirstShift = 20;
  static constexpr std::uint64_t kAtomic = std::uint64_t{1} << 40;
  static constexpr std::uint32_t kMostTime = (1u << 20) - 1, kMostInstruction = (1u << 20) - 1;

  std::uint64_t bits = 0;

  static SharedShadowWord of(std::uint32_t time, Holders holders, bool atomic, std::uint32_t first,
                             std::uint32_t second, std::uint32_t instruction) {
    return {std::uint64_t{time} << kTimeShift | static_cast<std::uint64_t>(holders) << kHoldersShift |
            (atomic ? kAtomic : 0) | std::uint64_t{second} << kSecondShift |
            std::uint64_t{first} << kFirstShift | instruction};
  }
  std::uint32_t time() const { return static_cast<std::uint32_t>(bits >> kTimeShift); }
  Holders holders() const { return static_cast<Holders>(bits >> kHoldersShift & 3); }
  bool atomic() const { return (bits & kAtomic) != 0; }
  std::uint32_t first() const { return static_cast<std::uint32_t>(bits >> kFirstShift) & 1023u; }
  std::uint32_t second() const { return static_cast<std::uint32_t>(bits >> kSecondShift) & 1023u; }
  std::uint32_t instruction() const { return static_cast<std::uint32_t>(bits) & kMostInstruction; }
};

// The part of the block's and the warp's state that the fast paths need.
struct SharedShadowView {
  std::uint64_t* readers = nullptr;  // one record for each 4 bytes of shared memory
  std::uint64_t* writers = nullptr;
  std::uint32_t* second_by = nullptr;  // instruction of each record's second reader, if it has one
  std::uint32_t now = 0;
  std::uint32_t floor = 0;  // time of the block's last barrier: older records count as none
  std::uint32_t warp_floor =
      0;  // time of the warp's last barrier: older records of its own lanes are ordered
  std::uint32_t first_thread = 0;
  std::uint32_t instruction = 0;
};

}  // namespace warpgrade::emulator
