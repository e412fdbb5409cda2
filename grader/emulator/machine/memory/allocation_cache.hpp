// The allocation that each instruction accessed last: nearly always the one that it accesses next.
#pragma once

#include <cstdint>

#include "machine/memory/device_memory.hpp"

namespace warpgrade::emulator {

struct AllocationCache {
  struct CachedAllocation {
    std::uint64_t begin = 1, end = 0;  // the addresses that kernels may access; empty at first
    Allocation* allocation = nullptr;
    std::uint64_t shift = 0;  // Allocation::shift
  };
  static constexpr std::uint32_t kEntries = 64;  // a power of two; by DecodedInstruction::index
  CachedAllocation entry[kEntries];

  CachedAllocation& of(std::uint32_t instruction) { return entry[instruction % kEntries]; }
};

}  // namespace warpgrade::emulator
