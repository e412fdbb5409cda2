// May a kernel be launched this way?
#pragma once

#include <optional>
#include <string>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct Refusal {
  Status status = Status::invalid_configuration;
  std::string message;  // with the numbers and what to change
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; statuses as the runtime has
// them.
std::optional<Refusal> check_request(const LaunchRequest& request, const DeviceLimits& limits);

// Shared memory of a block: static, then dynamic.
std::uint32_t shared_bytes(const LaunchRequest& request);

}  // namespace warpgrade::emulator
