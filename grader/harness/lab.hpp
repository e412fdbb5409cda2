// What a lab's harness.cpp includes: the parts of the harness, and its main program.
#pragma once
#include <cuda_runtime_api.h>

#include "arrays/random_values.hpp"
#include "base/cuda_check.hpp"
#include "base/errors.hpp"
#include "comparison/any_order.hpp"
#include "comparison/compare.hpp"
#include "comparison/hypotheses.hpp"
#include "device/device_arrays.hpp"
#include "program/lab_program.hpp"

namespace warpgrade::harness {

// main() of a lab's harness: makes data sets, checks kernels on them with doctest, or times kernels. Returns
// the exit code: 0 all cases pass, 1 some do not, 2 bad usage or data.
int run_lab(const LabProgram& lab, int argc, char** argv);

}  // namespace warpgrade::harness
