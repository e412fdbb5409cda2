#include "oracle.hpp"

#include <cmath>

#include "device_matrix.hpp"

namespace warpgrade::harness {

double tolerance(Values values, double bound) {
  constexpr double unit_roundoff = 0x1p-24;
  constexpr double factor = 32;
  return values == Values::integers ? 0.0 : factor * unit_roundoff * bound;
}

// Written so that NaN fails the comparison.
bool is_close(float got, double exact, double allowed) {
  return std::fabs(static_cast<double>(got) - exact) <= allowed;
}

Matrix<Mark> judge(const Dataset& data, const Matrix<float>& result) {
  Matrix<Mark> marks(result.rows, result.columns);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const double allowed = tolerance(data.task.values, data.bound.values[i]);
    if (is_close(result.values[i], data.C.values[i], allowed))
      marks.values[i] = Mark::right;
    else
      marks.values[i] = is_never_written(result.values[i]) ? Mark::never_written : Mark::wrong;
  }
  return marks;
}

double partial_sum(const Dataset& data, int row, int column, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += static_cast<double>(data.A.at(row, i)) * static_cast<double>(data.B.at(i, column));
  return sum;
}

}  // namespace warpgrade::harness
