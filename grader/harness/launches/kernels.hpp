// The kernels of a fat binary that a lab names.
#pragma once
#include <cuda_runtime_api.h>

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "launches/kernel.hpp"

namespace warpgrade::harness {

class Kernels {
 public:
  Kernels() = default;  // none
  // Throws UsageError if the file cannot be read, CudaError if the runtime refuses it, KernelMissing if it
  // lacks a kernel, and ImpossibleLaunch if a launch shape is missing or impossible.
  Kernels(const std::filesystem::path& fat_binary, const std::vector<std::string>& names);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // Throws a DataError if lab.toml does not name such a kernel.
  const Kernel& operator[](const std::string& name) const;
  // The kernel of a lab that has one.
  const Kernel& only() const;
  const std::deque<Kernel>& all() const { return kernels_; }

  // Copies `bytes` bytes from an address on device or host to the file's `extern "C"` variable `name`, a
  // `__constant__` array for example. Throws ImpossibleLaunch if the file has no such variable, or a smaller
  // one.
  void set(const std::string& name, const void* from, std::size_t bytes) const;

  // The launch that covers an array: that of the kernel whose last launch covered exactly this shape, or this
  // shape with its last dimension as the parts of a vector. No launch if the student chose the number of
  // blocks.
  Coverage coverage_of(const Shape& array) const;

 private:
  cudaLibrary_t library_ = nullptr;
  std::vector<std::string> names_;
  std::deque<Kernel> kernels_;
};

}  // namespace warpgrade::harness
