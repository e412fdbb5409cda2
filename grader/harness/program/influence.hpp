// Says which elements of the inputs a wrong element of a result depends on, in the kernel and in the oracle.
#pragma once
#include "program/lab_program.hpp"
#include "program/options.hpp"

namespace warpgrade::harness {

// Runs the case of --try with other values of parts of its inputs, and records how the first wrong element
// and some others react (influence/search.hpp). Records nothing where the case as lab.launch starts it is
// right, breaks off, or comes out otherwise when it is run again. Returns 0. Throws UsageError and DataError.
int run_influence(const Options& options, const LabProgram& lab);

}  // namespace warpgrade::harness
