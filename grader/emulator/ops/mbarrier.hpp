// The 64-bit object of mbarrier.* (PTX ISA 9.7.13.15), in shared memory. The manual leaves its layout
// open; here, from the low end: pending arrivals (20 bits), expected arrivals of the next phase (20),
// transaction count (21, signed), phase (3).
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

struct MemoryBarrier {
  static constexpr std::uint32_t kMost = (1u << 20) - 1;

  std::uint32_t pending = 0, expected = 0, phase = 0;
  std::int32_t transactions = 0;

  static MemoryBarrier of(std::uint64_t word) {
    MemoryBarrier b;
    b.pending = static_cast<std::uint32_t>(word) & kMost;
    b.expected = static_cast<std::uint32_t>(word >> 20) & kMost;
    b.transactions = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 40 & 0x1fffff) << 11) >> 11;
    b.phase = static_cast<std::uint32_t>(word >> 61);
    return b;
  }
  std::uint64_t word() const {
    return std::uint64_t{pending & kMost} | std::uint64_t{expected & kMost} << 20 |
           (static_cast<std::uint64_t>(transactions) & 0x1fffff) << 40 | std::uint64_t{phase & 7} << 61;
  }

  // A phase is complete when no arrival and no transaction is pending; the next one begins at once.
  void arrive(std::uint32_t count) {
    pending = (pending - count) & kMost;
    end_phase();
  }
  void complete_transactions(std::int32_t bytes) {
    transactions -= bytes;
    end_phase();
  }
  bool has_passed(std::uint64_t state) const { return phase != of(state).phase; }
  bool has_passed_parity(std::uint32_t parity) const { return (phase & 1) != (parity & 1); }

 private:
  void end_phase() {
    if (pending != 0 || transactions != 0) return;
    phase = (phase + 1) & 7;
    pending = expected;
  }
};

}  // namespace warpgrade::emulator
