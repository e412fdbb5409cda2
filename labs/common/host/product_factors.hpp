// What a kernel multiplies for an element of a matrix product C = A·B, and the sums of such products.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "comparison/hypotheses.hpp"
#include "matrix.hpp"

namespace warpgrade::harness {

// One wrong result, with the matrices as a kernel reads them. Its hypotheses live as long as the result's
// data.
class ProductFactors {
 public:
  explicit ProductFactors(const WrongResult& q);

 protected:
  // What a kernel multiplies for element (row, column) at step i.
  using Factor = std::function<double(int row, int column, int i)>;

  int k() const { return A_.columns; }

  // An element of a matrix; outside, zero.
  static double at(const Matrix<const float>& matrix, int row, int column);
  // The matrix as a sequence of elements, which a wrong stride indexes; outside, zero.
  static double flat(const Matrix<const float>& matrix, std::int64_t index);
  static std::int64_t index(int row, int width, int column) { return std::int64_t{row} * width + column; }

  // The right factors.
  Factor a() const;
  Factor b() const;

  // The sum of the products of two factors over i in [first, last) for which `counts` holds.
  Hypothesis sum(const std::string& name, const std::string& words, Factor a, Factor b, int first, int last,
                 std::function<bool(int)> counts = {}) const;
  // The same over all of k.
  Hypothesis factors(const std::string& name, const std::string& words, Factor a, Factor b) const;
  // A running total that `step` updates by each product.
  Hypothesis running(const std::string& name, const std::string& words,
                     double (*step)(double total, double x, double y)) const;

  Matrix<const float> A_, B_;
  std::size_t n_;
  const LaunchShape* shape_;
  int tile_;  // side of a square tile of which each thread computes one element; 0: no such tiles
};

}  // namespace warpgrade::harness
