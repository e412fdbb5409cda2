// Checks a result that is too large to compute again on the host.
#pragma once
#include <cstdint>

#include "device_matrix.hpp"
#include "outcome.hpp"

namespace warpgrade::harness {

// Compares rows of C with A·B in double: all of a small matrix, else the first, the last and others that
// `seed` chooses, and the sums of all rows. Looks for elements that were never written everywhere.
// A is m×k, B is k×n, both of zero-mean values.
Outcome spot_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed);

// The quick part of it, O(n²): finds any result that is not A·B, but not one that is merely inexact.
Outcome sum_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed);

}  // namespace warpgrade::harness
