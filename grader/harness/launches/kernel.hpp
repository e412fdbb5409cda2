// A kernel of a compiled file with its launch shape.
#pragma once
#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <vector>

#include "launches/launch_shape.hpp"

namespace warpgrade::harness {

class Kernel {
 public:
  // Throws KernelMissing if the library lacks the kernel, and ImpossibleLaunch if its launch shape is missing
  // or beyond a GPU's limits.
  Kernel(cudaLibrary_t library, const std::string& name);

  const LaunchShape& shape() const { return shape_; }
  // The elements that the last launch covered.
  const std::optional<Extent>& covered() const { return covered_; }

  // Launches as many blocks as cover `elements`. The runtime reads as many arguments as the kernel has
  // parameters: one with fewer takes the first ones, one with more gets zeros. Throws ImpossibleLaunch if the
  // block needs more than an SM has, CudaError on other failures.
  template <class... Argument>
  void launch(const Extent& elements, Argument... arguments) const {
    start(shape_.grid(elements), {const_cast<void*>(static_cast<const void*>(&arguments))...});
    covered_ = elements;
  }

  // Launches `blocks` blocks, whose threads loop over the elements: no element belongs to one block. The
  // student's own number of blocks takes precedence.
  template <class... Argument>
  void launch_blocks(std::int64_t blocks, Argument... arguments) const {
    start(shape_.grid_of(blocks), {const_cast<void*>(static_cast<const void*>(&arguments))...});
    covered_.reset();
  }

  // Blocks that the GPU holds at the same time: those of an SM
  // (cudaOccupancyMaxActiveBlocksPerMultiprocessor) for each of its SMs; at least 1.
  std::int64_t resident_blocks() const;

 private:
  void start(dim3 grid, std::vector<void*> arguments) const;

  std::string name_;
  cudaKernel_t function_ = nullptr;
  LaunchShape shape_;
  mutable std::optional<Extent> covered_;
};

}  // namespace warpgrade::harness
