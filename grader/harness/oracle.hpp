// Decides which elements of a result are right.
#pragma once
#include <cstdint>

#include "dataset.hpp"
#include "matrix.hpp"

namespace warpgrade::harness {

enum class Mark : std::uint8_t { right, wrong, never_written };

// How far an fp32 sum of products may be from the exact one. 0 for integers, whose sums are exact.
// Otherwise 32·u·(|A||B|), u = 2^-24: about 7 times what honest fp32 sums of zero-mean values show, in any
// order and with or without FMA, and a twentieth of what TF32 inputs show.
double tolerance(Values values, double bound);

// Whether `got` stands for `exact`. False for NaN, whatever the tolerance.
bool is_close(float got, double exact, double allowed);

// One mark for each element of C. `result` is m×n.
Matrix<Mark> judge(const Dataset& data, const Matrix<float>& result);

// The sum of the first `count` products of row `row` of A and column `column` of B, in double.
double partial_sum(const Dataset& data, int row, int column, int count);

}  // namespace warpgrade::harness
