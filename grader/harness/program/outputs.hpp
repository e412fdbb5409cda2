// Judges what a student's program has written: the program ran elsewhere, without what is expected.
#pragma once
#include "program/lab_program.hpp"
#include "program/options.hpp"

namespace warpgrade::harness {

// Records the outcome of each case of which there is a folder of outputs: <outputs>/<case>/<array>.npy, of
// the array's type and shape. Throws UsageError and DataError.
void judge_outputs(const Options& options, const LabProgram& lab);

}  // namespace warpgrade::harness
