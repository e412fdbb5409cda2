// The GPUs that can be emulated, and the attributes by which CUDA describes them.
// The tables are made from grader/gpus/*.toml, where each member is explained.
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/launch.hpp"

namespace warpgrade::cudart {

using emulator::ComputeCapability;

struct Gpu {
  const char* id;  // the name in WARPGRADE_GPU
  int major, minor;
  const char* name;
  int sm_count;
  double clock_mhz, memory_clock_mhz;
  int memory_bus_bits;
  std::int64_t memory_bytes;
  double memory_bytes_per_second;
  std::int64_t l2_bytes, l1_bytes_per_sm;
  double warp_instructions, fp32_lanes, fp64_lanes, special_lanes;  // per SM and cycle
  double shared_bytes, l1_bytes, l2_bytes_per_clock;
  double shared_latency, l1_latency, l2_latency, memory_latency;  // cycles
  double launch_microseconds;
  double cycles_per_block;
  bool calibrated;
};

std::span<const Gpu> gpus();
std::span<const ComputeCapability> compute_capabilities();
const Gpu* find_gpu(std::string_view id);  // null if there is none
const ComputeCapability& capability(const Gpu& gpu);
const ComputeCapability* find_capability(int major, int minor);

emulator::DeviceLimits limits(const Gpu& gpu);
cudaDeviceProp properties(const Gpu& gpu);
// nullopt for a number that is not an attribute.
std::optional<int> attribute(const Gpu& gpu, cudaDeviceAttr which);

}  // namespace warpgrade::cudart
