// Decides which elements of a result are right.
#pragma once
#include <cstdint>

#include "dataset.hpp"
#include "matrix.hpp"

namespace warpgrade::harness {

enum class Mark : std::uint8_t { right, wrong, never_written };

// The largest error of an fp32 sum of products that counts as right. 0 for integers, whose sums are exact.
// Otherwise 32·u·(|A||B|), u = 2^-24: about 7 times the error of fp32 sums of zero-mean values, in any order
// and with or without FMA, and a twentieth of the error with TF32 inputs.
double tolerance(Values values, double bound);

// Whether `got` is within the tolerance of `exact`. Always false for NaN.
bool is_close(float got, double exact, double allowed);

// One mark for each element of C. `result` is m×n.
Matrix<Mark> judge(const Dataset& data, const Matrix<float>& result);

// The sum of the first `count` products of row `row` of A and column `column` of B, in double.
double partial_sum(const Dataset& data, int row, int column, int count);

}  // namespace warpgrade::harness
