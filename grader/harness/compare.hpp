// Compares a result with the expected one and describes the wrong elements.
#pragma once
#include "dataset.hpp"
#include "launch_shape.hpp"
#include "outcome.hpp"

namespace warpgrade::harness {

// `result` is the m×n matrix that the kernel computed when launched with `shape`.
Outcome compare(const Dataset& data, const Matrix<float>& result, const LaunchShape& shape);

}  // namespace warpgrade::harness
