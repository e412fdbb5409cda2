// May a kernel be launched this way? The only place that knows the limits of a launch.
#pragma once

#include <optional>
#include <string>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct Refusal {
  LaunchStatus status = LaunchStatus::invalid_value;  // as an H200 with runtime 13.0 answers
  std::string message;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". The runtime asks when a
// launch is issued or captured; launch() asks again, as attributes of the kernel may have changed since.
std::optional<Refusal> check_request(const LaunchRequest& request, const DeviceLimits& limits);

// Blocks of the launch that the GPU runs at once.
std::uint64_t resident_blocks(const LaunchRequest& request, const DeviceLimits& limits);

// Shared memory of a block: static, then dynamic.
std::uint32_t shared_bytes(const LaunchRequest& request);

}  // namespace warpgrade::emulator
