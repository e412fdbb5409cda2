#include "launch_shape.hpp"

#include <string>

#include "errors.hpp"

namespace warpgrade::harness {
namespace {

constexpr int max_threads = 1024;  // of a block, since compute capability 2.0

unsigned ceiling(int size, int part) { return static_cast<unsigned>((size - 1) / part + 1); }

std::string as_written(const LaunchShape& shape) {
  return "LAUNCH_SHAPE(" + std::to_string(shape.threads_x) + ", " + std::to_string(shape.threads_y) + ", " +
         std::to_string(shape.columns) + ", " + std::to_string(shape.rows) + ")";
}

}  // namespace

dim3 LaunchShape::block() const {
  return dim3(static_cast<unsigned>(threads_x), static_cast<unsigned>(threads_y));
}

dim3 LaunchShape::grid(int m, int n) const { return dim3(ceiling(n, columns), ceiling(m, rows)); }

void require_possible(const LaunchShape& shape) {
  if (shape.threads_x < 1 || shape.threads_y < 1)
    throw ImpossibleLaunch(as_written(shape) +
                           " asks for a block without threads; both numbers of threads must be at least 1.");
  if (shape.columns < 1 || shape.rows < 1)
    throw ImpossibleLaunch(
        as_written(shape) +
        " says that a block computes nothing; its columns and rows of C must be at least 1.");
  const long long threads = static_cast<long long>(shape.threads_x) * shape.threads_y;
  if (threads > max_threads)
    throw ImpossibleLaunch(as_written(shape) + " asks for " + std::to_string(threads) +
                           " threads in a block; the most is " + std::to_string(max_threads) + ".");
}

}  // namespace warpgrade::harness
