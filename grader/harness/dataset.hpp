// The data of one case: its inputs and the expected result.
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
  Matrix<double> bound;  // m×n: |A|·|B| in double, the scale of rounding errors
};

// Reads folder/{A,B,C,bound}.npy. Throws DataError if a file is missing, damaged or of another size than the
// case.
Dataset load_dataset(const std::filesystem::path& folder, const Case& task);
void save_dataset(const std::filesystem::path& folder, const Dataset& data);

}  // namespace warpgrade::harness
