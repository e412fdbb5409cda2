#include "base/cuda_check.hpp"

#include <cuda_runtime_api.h>

#include "base/errors.hpp"

namespace warpgrade::harness {

void check(cudaError_t error, const std::string& doing) {
  if (error == cudaSuccess) return;
  throw CudaError(
      error, std::string(cudaGetErrorName(error)) + " while " + doing + ": " + cudaGetErrorString(error));
}

}  // namespace warpgrade::harness
