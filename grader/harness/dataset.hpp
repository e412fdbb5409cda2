// The data of one case: what goes in, and what must come out.
#pragma once
#include <array>
#include <filesystem>

#include "case.hpp"
#include "matrix.hpp"

namespace warpgrade::harness {

struct Dataset {
  std::array<int, 3> sizes() const { return {task.m, task.n, task.k}; }

  Case task;
  Matrix<float> A;       // m×k
  Matrix<float> B;       // k×n
  Matrix<double> C;      // m×n: A·B in double
  Matrix<double> bound;  // m×n: |A|·|B| in double, the yardstick for rounding errors
};

// folder/{A,B,C,bound}.npy. Throws DataError where a file is missing, damaged or of another size than
// the case says.
Dataset load_dataset(const std::filesystem::path& folder, const Case& task);
void save_dataset(const std::filesystem::path& folder, const Dataset& data);

}  // namespace warpgrade::harness
