// A kernel's launch shape, as LAUNCH_SHAPE of labs/common/launch_shape.cuh stores it.
#pragma once
#include <vector_types.h>

namespace warpgrade::harness {

struct LaunchShape {
  int threads_x = 0;  // threads of a block
  int threads_y = 0;
  int columns = 0;  // columns and rows of C that a block computes
  int rows = 0;

  dim3 block() const;
  dim3 grid(int m, int n) const;  // enough blocks for an m×n result
  // Whether each thread computes exactly the element at its own index in the block.
  bool one_output_each() const { return threads_x == columns && threads_y == rows; }
};

// Throws ImpossibleLaunch for shapes that no GPU launches.
void require_possible(const LaunchShape& shape);

}  // namespace warpgrade::harness
