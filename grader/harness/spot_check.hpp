// Checks a result that is too large to recompute on the host.
#pragma once
#include <cstdint>

#include "device_matrix.hpp"
#include "outcome.hpp"

namespace warpgrade::harness {

// Compares rows of C with A·B in double: all rows of a small matrix, else the first, the last and some that
// `seed` chooses, and the sums of all rows. Finds every element that was never written.
// A is m×k, B is k×n, both of zero-mean values.
Outcome spot_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed);

// The fast part, O(n²): finds every result that is not A·B, but not one that is only inexact.
Outcome sum_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed);

}  // namespace warpgrade::harness
