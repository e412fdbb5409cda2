// Measures a kernel's time relative to the reference in the same process.
#pragma once
#include "program/lab_program.hpp"
#include "program/options.hpp"
#include "results/results.hpp"

namespace warpgrade::harness {

// Times student and reference at each size and records it. Returns the exit code: 0, or 1 when the student's
// kernel cannot be timed or a timed result was wrong. Throws UsageError.
//
// On a GPU their launches alternate after a warm-up, with new values and an empty L2 for each round, and with
// the order changed from round to round, until the ratio is known to ±0.5 % or enough rounds are done. On the
// emulator, where the grader models times from counters, there is one round.
int run_timing(const Options& options, const LabProgram& lab);

// The median. `values` must not be empty.
double median(std::vector<double> values);

// Half the width of the 95 % confidence interval of the median, relative to it, by order statistics.
double relative_uncertainty(std::vector<double> values);

}  // namespace warpgrade::harness
