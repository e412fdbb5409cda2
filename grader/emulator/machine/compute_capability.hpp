// What one streaming multiprocessor (SM) can hold, by compute capability.
#pragma once

namespace warpgrade::emulator {

// A row of grader/gpus/compute_capability.toml, which explains each member.
struct ComputeCapability {
  int major, minor;
  int threads, warps, blocks;  // resident at most
  int registers, block_registers, thread_registers;
  int register_unit, warp_unit;
  int shared, block_shared, block_shared_optin;  // bytes
  int shared_unit, shared_reserved;              // bytes
  int block_threads;
};

}  // namespace warpgrade::emulator
