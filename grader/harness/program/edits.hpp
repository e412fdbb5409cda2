// Tries edits of a kernel: which of them makes its cases right?
//
// The fat binary holds all edits of one kernel (mutant schemata: Untch, Offutt and Harrold, ISSTA 1993). Its
// variable `warpgrade_edit` chooses the edit, so that one compilation and one start serve dozens of them.
#pragma once
#include "program/lab_program.hpp"
#include "program/options.hpp"

namespace warpgrade::harness {

// Each edit runs the cases of --try in a process of its own, until one fails: a fault of one edit does not
// end the others. Ends after the first edit for which all cases pass. Returns 0 if there is one, 1 if not.
// Throws UsageError and DataError.
int run_edits(const Options& options, const LabProgram& lab);

}  // namespace warpgrade::harness
