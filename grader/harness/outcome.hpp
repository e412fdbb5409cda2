// The outcome of one case.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// Which elements are wrong, and the first of them, in row-major order.
struct Wrong {
  std::int64_t count = 0;
  std::int64_t total = 0;
  int row = 0;
  int column = 0;
  double expected = 0;
  float got = 0;
  bool never_written = false;                // the first one
  std::array<int, 2> block{};                // x, y of the block that owns the first one
  std::optional<std::array<int, 2>> thread;  // x, y; empty if a thread owns several outputs
  std::array<int, 4> tile{};     // of the block in C: first row, last row, first column, last column
  std::optional<int> phase;      // the first one whose contribution is missing
  std::string pattern;           // all, last-tile-column, … (pattern.hpp)
  std::string explanation;       // one sentence
  std::vector<std::string> map;  // at most 32×32: '.' right, '#' wrong, '?' never written
};

struct Outcome {
  static Outcome failure(Status status, const std::string& message);

  Status status = Status::pass;
  std::string message;     // one sentence
  std::string cuda_error;  // its name, for Status::cuda_error
  bool sticky = false;     // every later CUDA call of this process fails
  std::optional<Wrong> wrong;
};

}  // namespace warpgrade::harness
