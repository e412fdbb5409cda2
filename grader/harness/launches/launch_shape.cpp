#include "launches/launch_shape.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

constexpr int max_threads = 1024;  // threads of a block, since compute capability 2.0

unsigned ceiling(std::int64_t size, int part) {
  const std::int64_t blocks = (size - 1) / part + 1;
  if (size < 1 || blocks > std::numeric_limits<int>::max())
    throw ImpossibleLaunch(std::to_string(size) + " elements cannot be covered by blocks of " +
                           std::to_string(part) + ".");
  return static_cast<unsigned>(blocks);
}

std::string as_written(const LaunchShape& shape) {
  const char* suffix = shape.rank == 1 ? "_1D(" : shape.rank == 3 ? "_3D(" : "(";
  std::string text = std::string("LAUNCH_SHAPE") + suffix;
  const auto rank = static_cast<std::size_t>(shape.rank);
  for (std::size_t i = 0; i < rank; ++i) text += std::to_string(shape.threads[i]) + ", ";
  for (std::size_t i = 0; i < rank; ++i) text += (i ? ", " : "") + std::to_string(shape.outputs[i]);
  return text + ")";
}

int smallest(const std::array<int, 3>& numbers) { return *std::min_element(numbers.begin(), numbers.end()); }

}  // namespace

dim3 LaunchShape::block() const {
  return dim3(static_cast<unsigned>(threads[0]), static_cast<unsigned>(threads[1]),
              static_cast<unsigned>(threads[2]));
}

dim3 LaunchShape::grid(const Extent& elements) const {
  if (blocks) return dim3(static_cast<unsigned>(*blocks));
  return dim3(ceiling(elements.x, outputs[0]), ceiling(elements.y, outputs[1]),
              ceiling(elements.z, outputs[2]));
}

dim3 LaunchShape::grid_of(std::int64_t number) const {
  return dim3(blocks ? static_cast<unsigned>(*blocks) : ceiling(number, 1));
}

LaunchShape launch_shape_of(const std::string& kernel, const std::vector<int>& numbers) {
  LaunchShape shape;
  shape.kernel = kernel;
  shape.rank = static_cast<int>(numbers.size() / 2);
  const auto rank = static_cast<std::size_t>(shape.rank);
  std::copy_n(numbers.begin(), rank, shape.threads.begin());
  std::copy_n(numbers.begin() + shape.rank, rank, shape.outputs.begin());
  return shape;
}

void require_possible(const LaunchShape& shape) {
  if (smallest(shape.threads) < 1)
    throw ImpossibleLaunch(as_written(shape) + " asks for a block without threads; " +
                           (shape.rank == 1   ? "the number"
                            : shape.rank == 2 ? "both numbers"
                                              : "all numbers") +
                           " of threads must be at least 1.");
  if (smallest(shape.outputs) < 1)
    throw ImpossibleLaunch(as_written(shape) + " says that a block computes nothing; its " +
                           (shape.rank == 2 ? "columns and rows" : "elements") + " must be at least 1.");
  long long threads = 1;
  for (const int count : shape.threads) threads *= count;
  if (threads > max_threads)
    throw ImpossibleLaunch(as_written(shape) + " asks for " + std::to_string(threads) +
                           " threads in a block; the most is " + std::to_string(max_threads) + ".");
  if (shape.blocks && *shape.blocks < 1)
    throw ImpossibleLaunch("LAUNCH_BLOCKS(" + std::to_string(*shape.blocks) +
                           ") asks for a grid without blocks.");
  if (shape.shared_bytes < 0)
    throw ImpossibleLaunch("LAUNCH_SHARED_BYTES(" + std::to_string(shape.shared_bytes) + ") is negative.");
}

}  // namespace warpgrade::harness
