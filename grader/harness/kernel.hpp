// A kernel of a fat binary: loads it, reads its launch shape and launches it.
#pragma once
#include <cuda_runtime_api.h>

#include <filesystem>
#include <string>

#include "launch_shape.hpp"

namespace warpgrade::harness {

class Kernel {
 public:
  // Throws UsageError if the file cannot be read, CudaError if the runtime refuses it, KernelMissing if it
  // lacks the kernel, and ImpossibleLaunch if LAUNCH_SHAPE is missing or beyond a GPU's limits.
  Kernel(const std::filesystem::path& fat_binary, const std::string& name);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const LaunchShape& shape() const { return shape_; }

  // Starts C = alpha·A·B + beta·C, with A m×k, B k×n and C m×n on the device; a kernel that takes no alpha
  // and beta computes A·B. Throws ImpossibleLaunch if the block needs more than an SM has, CudaError on
  // other failures.
  void launch(const float* A, const float* B, float* C, int m, int n, int k, float alpha = 1,
              float beta = 0) const;

 private:
  void find_function();
  void read_shape();

  std::string name_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t function_ = nullptr;
  LaunchShape shape_;
};

}  // namespace warpgrade::harness
