// The cost of one warp's access in sectors, lines and wavefronts. Pure functions of the addresses.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

// Distinct sectors and lines that the lanes of a mask access.
struct Blocks {
  unsigned sectors = 0;  // sectors of kSectorBytes
  unsigned lines = 0;    // lines of kLineBytes
};
// Each lane's access is aligned to its size (a power of two, at most 32 bytes), so it lies in one sector.
Blocks blocks(const std::uint64_t* address, std::uint32_t mask);

// Passes through the 32 banks of shared memory, `bytes` a lane (1 to 16) at byte offsets `address`.
//
// Narrow and 32-bit accesses are one phase of 32 lanes, 64-bit ones two of 16, 128-bit ones four of 8.
// A phase costs the largest number of distinct words in one bank. Two phases become one where every
// active lane i shares its address with lane i^1, or every one with i^2 (an inactive partner agrees):
// 64-bit accesses over the warp, 128-bit ones within each half of it. Measured on an H200.
unsigned wavefronts(const std::uint64_t* address, unsigned bytes, std::uint32_t mask);

// Passes of cp.async.ca as Nsight Compute counts them, `bytes` a lane (4, 8, 16) from `source` in global
// memory to `target` in shared memory; lanes of `zeroed` read nothing and write zeros.
//
// 32-bit copies are one phase of 32 lanes, 64-bit ones two of 16, 128-bit ones four of 8. For each
// lane of a phase, count the lanes that read from its banks (those of the source address, as if it were in
// shared memory) or write to its banks, the same word or not; the phase costs the highest count. This equals
// an H200's counters for 690 patterns of all kinds.
unsigned copy_wavefronts(const std::uint64_t* source, const std::uint64_t* target, unsigned bytes,
                         std::uint32_t mask, std::uint32_t zeroed);

}  // namespace warpgrade::emulator
