// Why a launch ended early. Thrown by handlers, caught by the launch, turned into a cudaError by cudart.
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::emulator {

// Values are those of cudaError_t, so that cudart only casts.
enum class LaunchStatus : std::uint16_t {
  success = 0,
  invalid_value = 1,
  invalid_configuration = 9,
  invalid_kernel_image = 200,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failure = 719,
  device_assert = 710,
  cooperative_launch_too_large = 720,
  not_supported = 801,
};

// The finding that explains it has been reported to the observers before it is thrown.
struct Trap {
  LaunchStatus status = LaunchStatus::launch_failure;
};

}  // namespace warpgrade::emulator
