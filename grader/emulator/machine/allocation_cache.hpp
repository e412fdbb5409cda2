// Which allocation an instruction touched last: nearly always the one that it touches next.
#pragma once

#include <cstdint>

#include "machine/device_memory.hpp"

namespace warpgrade::emulator {

struct AllocationCache {
  struct CachedAllocation {
    std::uint64_t begin = 1, end = 0;  // what kernels may touch; nothing at first
    Allocation* allocation = nullptr;
    std::uint64_t shift = 0;  // the allocation's
  };
  static constexpr std::uint32_t kEntries = 64;  // a power of two; by DecodedInstruction::index
  CachedAllocation entry[kEntries];

  CachedAllocation& of(std::uint32_t instruction) { return entry[instruction % kEntries]; }
};

}  // namespace warpgrade::emulator
