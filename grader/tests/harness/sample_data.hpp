// Data sets for tests, with the product computed the plain way.
#pragma once
#include <cmath>
#include <string>

#include "dataset.hpp"

inline warpgrade::harness::Dataset sample_data(
    int m, int n, int k, warpgrade::harness::Values values = warpgrade::harness::Values::integers,
    std::uint64_t seed = 5) {
  using namespace warpgrade::harness;
  Dataset data;
  data.task = {"sample", m, n, k, values, seed};
  data.A = random_matrix(m, k, values, seed, InputMatrix::A);
  data.B = random_matrix(k, n, values, seed, InputMatrix::B);
  data.C = Matrix<double>(m, n);
  data.bound = Matrix<double>(m, n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      for (int i = 0; i < k; ++i) {
        const double product =
            static_cast<double>(data.A.at(row, i)) * static_cast<double>(data.B.at(i, column));
        data.C.at(row, column) += product;
        data.bound.at(row, column) += std::fabs(product);
      }
  return data;
}

// The result that a right kernel would leave.
inline warpgrade::harness::Matrix<float> right_result(const warpgrade::harness::Dataset& data) {
  warpgrade::harness::Matrix<float> result(data.C.rows, data.C.columns);
  for (std::size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = static_cast<float>(data.C.values[i]);
  return result;
}
