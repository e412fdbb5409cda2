// Turns a failed call of the CUDA runtime into an exception.
#pragma once
#include <driver_types.h>

#include <string>

namespace warpgrade::harness {

// Throws CudaError unless `error` is cudaSuccess. `doing` completes the phrase "while …".
void check(cudaError_t error, const std::string& doing);

}  // namespace warpgrade::harness
