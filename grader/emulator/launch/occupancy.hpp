// Resident blocks of an SM, computed as NVIDIA's occupancy calculator does.
#pragma once

#include <cstddef>

#include "machine/compute_capability.hpp"

namespace warpgrade::emulator {

struct BlockNeeds {
  int threads = 0;
  int registers = 0;       // registers of each thread
  std::size_t shared = 0;  // bytes, static and dynamic
};

// Resident blocks of an SM; 0 if such a block cannot run at all.
int blocks_per_sm(const ComputeCapability& sm, const BlockNeeds& block);

// The most dynamic shared memory that a block may have, with `blocks` of them on an SM; bytes.
std::size_t dynamic_shared_for(const ComputeCapability& sm, std::size_t static_shared, int blocks);

}  // namespace warpgrade::emulator
