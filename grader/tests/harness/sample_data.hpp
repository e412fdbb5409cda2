// Data sets for tests.
#pragma once
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "launches/launch_shape.hpp"
#include "matrix_product.hpp"

// A product of two matrices, with the arrays A, B and C of a matrix lab.
inline warpgrade::harness::Case product_case(int m, int n, int k, const std::string& values = "integers",
                                             std::uint64_t seed = 5) {
  return {"sample", {{"m", m}, {"n", n}, {"k", k}}, values, seed, {}};
}

inline warpgrade::harness::Dataset sample_data(int m, int n, int k, const std::string& values = "integers",
                                               std::uint64_t seed = 5) {
  warpgrade::harness::Dataset data(product_case(m, n, k, values, seed));
  warpgrade::harness::make_product(data);
  return data;
}

// The result that a right kernel would leave in the output `name`.
inline warpgrade::harness::Array right_result(const warpgrade::harness::Dataset& data,
                                              const std::string& name = "C") {
  using namespace warpgrade::harness;
  const Array& array = data.array(name);
  Array result = make_array(name, array.type, array.shape, array.role);
  for (std::size_t i = 0; i < result.count(); ++i) {
    const Number expected = data.expected(name).at(i);
    result.set(i, {expected.value(), expected.integer()});
  }
  return result;
}

// An element of a matrix of floats.
inline float& element(warpgrade::harness::Array& matrix, int row, int column) {
  return warpgrade::harness::matrix_of<float>(matrix).at(row, column);
}

inline double expected_at(const warpgrade::harness::Dataset& data, int row, int column) {
  const auto n = static_cast<std::size_t>(data["n"]);
  return data.expected("C").at(static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)).value();
}

inline warpgrade::harness::LaunchShape shape_of(const std::vector<int>& numbers) {
  return warpgrade::harness::launch_shape_of("kernel", numbers);
}
