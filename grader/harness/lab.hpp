// What a lab's harness.cpp includes: the parts of the harness, and its main program.
#pragma once
#include <cuda_runtime_api.h>

#include "compare.hpp"
#include "cuda_check.hpp"
#include "device_matrix.hpp"
#include "errors.hpp"
#include "session.hpp"
#include "timer.hpp"

namespace warpgrade::harness {

// main() of a lab's harness: doctest runs `multiply` on each case, or the kernel is timed. Returns the exit
// code: 0 all cases pass, 1 some do not, 2 bad usage or data.
int run_lab(const char* kernel_name, Multiply multiply, int argc, char** argv);

}  // namespace warpgrade::harness
