// The limits of an H200, for tests that launch kernels.
#pragma once

#include "cudart/device/gpu.hpp"

namespace stage {

inline warpgrade::emulator::DeviceLimits h200() {
  return warpgrade::cudart::limits(*warpgrade::cudart::find_gpu("h200"));
}

}  // namespace stage
