// Timed rounds of a matrix product: new values at the cost of a copy, and checks of results that are too
// large to recompute on the host in each round.
#pragma once
#include <cstdint>
#include <memory>

#include "matrix_product.hpp"
#include "program/lab_program.hpp"

namespace warpgrade::harness {

// Freivalds' method: C·x = A·(B·x) for signs x that the kernel cannot know. Each element of C weighs as
// much as its error; only errors as small as roundings escape in the sum of a row.
// The fast part, O(n²): finds every result that is not A·B, but not one that is only inexact.
Outcome sum_check(const Matrix<const float>& A, const Matrix<const float>& B, const Matrix<const float>& C,
                  std::uint64_t seed);

// Compares rows of C with A·B in double: all rows of a small matrix, else the first, the last and some that
// `seed` chooses, and the sums of all rows. Finds every element that was never written.
// A is m×k, B is k×n, both of zero-mean values.
Outcome spot_check(const Matrix<const float>& A, const Matrix<const float>& B, const Matrix<const float>& C,
                   std::uint64_t seed);

// The rounds of a case's product, whose arrays `data` gets.
std::unique_ptr<TimedRounds> product_rounds(Dataset& data);

}  // namespace warpgrade::harness
