// A kernel's launch shape, as the macros of labs/common/launch_shape.cuh store it.
#pragma once
#include <vector_types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade::harness {

// The elements that the blocks of a launch cover, x first.
struct Extent {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
};

struct LaunchShape {
  dim3 block() const;
  int threads_of_block() const { return threads[0] * threads[1] * threads[2]; }
  // The student's own number of blocks, else enough to cover the elements.
  dim3 grid(const Extent& elements) const;
  // The student's own number of blocks, else `number`.
  dim3 grid_of(std::int64_t number) const;
  // Whether each thread computes exactly the element at its own index in the block.
  bool one_output_each() const { return threads == outputs; }

  std::string kernel;
  int rank = 2;                         // dimensions that the macro names
  std::array<int, 3> threads{1, 1, 1};  // threads of a block: x, y, z
  std::array<int, 3> outputs{1, 1, 1};  // elements that a block computes: x, y, z
  std::optional<int> blocks;            // LAUNCH_BLOCKS
  int shared_bytes = 0;                 // LAUNCH_SHARED_BYTES
};

// The launch whose blocks cover an array. The last dimension of an array of a vector type such as float4
// holds the parts of the vectors; blocks do not divide it.
struct Coverage {
  Coverage(const LaunchShape* launch = nullptr, std::int64_t parts = 1) : shape(launch), vector(parts) {}

  const LaunchShape* shape;  // null: no launch covers the array
  std::int64_t vector;       // parts of a vector; 1 if the elements are scalars
};

// The shape from the numbers of its symbol: (threads, elements) of 1, 2 or 3 dimensions each.
LaunchShape launch_shape_of(const std::string& kernel, const std::vector<int>& numbers);

// Throws ImpossibleLaunch for shapes that no GPU launches.
void require_possible(const LaunchShape& shape);

}  // namespace warpgrade::harness
