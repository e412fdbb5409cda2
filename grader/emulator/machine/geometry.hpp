// Sizes that all emulated GPUs have in common.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

constexpr int kWarpSize = 32;          // lanes
constexpr unsigned kSectorBytes = 32;  // unit of traffic to L1, L2 and device memory
constexpr unsigned kLineBytes = 128;   // cache line
constexpr unsigned kSectorsOfLine = kLineBytes / kSectorBytes;
constexpr unsigned kBanks = 32;                          // banks of shared memory
constexpr unsigned kBankBytes = 4;                       // width of a bank: one word
constexpr unsigned kBankRowBytes = kBanks * kBankBytes;  // bytes of one wavefront

}  // namespace warpgrade::emulator
