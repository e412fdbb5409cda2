// Checks a launch against the limits of the GPU. No other code knows these limits.
#pragma once

#include <optional>
#include <string>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct Refusal {
  LaunchStatus status = LaunchStatus::invalid_value;  // as an H200 with runtime 13.0 returns
  std::string message;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". The runtime checks
// when a launch is issued or captured; launch() checks again, because attributes of the kernel may have
// changed.
std::optional<Refusal> check_request(const LaunchRequest& request, const DeviceLimits& limits);
// The finding about a launch that was refused, without its place.
Finding refused_launch(const std::string& message);

// Blocks of the launch that the GPU runs at once.
std::uint64_t resident_blocks(const LaunchRequest& request, const DeviceLimits& limits);

// Shared memory of a block: static, then dynamic.
std::uint32_t shared_bytes(const LaunchRequest& request);

}  // namespace warpgrade::emulator
