// The outcome of one case.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace warpgrade::harness {

enum class Status {
  pass,
  wrong_answer,
  stray_write,
  input_changed,
  cuda_error,
  launch_shape,
  kernel_missing
};

const char* name_of(Status status);

// The wrong elements of an array; the first one in row-major order is described in detail.
struct Wrong {
  std::string array;
  ElementType type = ElementType::f32;
  Shape shape;
  Shape index;              // index of the first wrong element, as long as shape
  std::int64_t vector = 1;  // parts of an element of a vector type, the last dimension of shape; else 1
  std::int64_t count = 0;
  std::int64_t total = 0;
  RawNumber expected;
  RawNumber got;
  bool never_written = false;  // the first wrong element was never written
  std::string kernel;          // the kernel whose launch covers the array; empty: none
  // If the blocks of a launch cover the array: x, y, z of the block and of the thread that compute the first
  // wrong element, and the indices of the block's first and last element, which are as long as `shape`.
  std::vector<int> block;
  std::vector<int> thread;  // empty if a thread owns several elements
  Shape first;
  Shape last;
  std::optional<int> phase;  // the first phase of the lab's algorithm whose contribution is missing
  std::string pattern;       // all, last-tile-column, … (pattern.hpp)
  std::string explanation;   // one sentence
  // The dimensions along which the rows and columns of the map run; empty: the last two, or the only one.
  std::vector<std::size_t> axes;
  std::vector<std::string> map;  // at most 32×32: '.' right, '#' wrong, '?' never written; a cell a vector
};

struct Outcome {
  static Outcome failure(Status status, const std::string& message);

  Status status = Status::pass;
  std::string message;     // one sentence
  std::string cuda_error;  // name of the error, for Status::cuda_error
  bool sticky = false;     // every later CUDA call of this process fails
  std::optional<Wrong> wrong;
};

}  // namespace warpgrade::harness
