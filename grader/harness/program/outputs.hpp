// Judges the files that a student's program has written. The program ran in a box of its own, without the
// expected results.
#pragma once
#include "program/lab_program.hpp"
#include "program/options.hpp"

namespace warpgrade::harness {

// Records the outcome of each case of which there is a folder of outputs: <outputs>/<case>/<array>.npy, of
// the array's type and shape. Throws UsageError and DataError.
void judge_outputs(const Options& options, const LabProgram& lab);

}  // namespace warpgrade::harness
