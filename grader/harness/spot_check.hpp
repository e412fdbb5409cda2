// Checks a result that is too large to compute again on the host.
#pragma once
#include <cstdint>

#include "device_matrix.hpp"
#include "outcome.hpp"

namespace warpgrade::harness {

// Compares a few rows of C, the first, the last and others that `seed` chooses, with A·B in double, and
// looks for elements that were never written everywhere. A is m×k, B is k×n, both of zero-mean values.
Outcome spot_check(const Matrix<float>& A, const Matrix<float>& B, const DeviceMatrix& C, std::uint64_t seed);

}  // namespace warpgrade::harness
