// One run of a harness: its cases, its kernels, its results.
#pragma once
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "cases/dataset.hpp"
#include "launches/kernels.hpp"
#include "program/lab_program.hpp"
#include "program/options.hpp"
#include "results/outcome.hpp"
#include "results/results.hpp"

namespace warpgrade::harness {

class Session {
 public:
  // Reads the cases, loads the kernels and records the environment. Throws UsageError and DataError.
  // A kernel that does not load raises no error here: each case records the reason.
  Session(const Options& options, const LabProgram& lab);

  const std::vector<Case>& cases() const { return cases_; }

  // Later cases run with this edit of the kernel (program/edits.hpp). Throws CudaError and ImpossibleLaunch.
  void choose(int edit);

  // Runs one case and records it. Throws DataError. After a sticky error no other case may run.
  Outcome check(const Case& task);
  bool stuck() const { return stuck_; }

  // Records that the run is complete and returns the exit code: 0 all cases passed, 1 some did not. Throws
  // UsageError if no case was chosen. After a sticky error the run is not recorded as complete.
  int finish();

 private:
  void load_kernels();
  // Runs a case. If its kernels are right and may keep something between launches, runs it once more, with
  // other values at the same addresses.
  Outcome run(const Dataset& data);
  Outcome run_again(const Dataset& others) const;
  // Runs the same values on the emulator with blocks that take turns.
  Outcome run_in_turns(const Dataset& data) const;
  // Runs the other values with kernels that are loaded again and keep nothing: if they fail in the same way,
  // the values are the reason, not what the kernels have kept.
  Outcome run_reloaded(const Dataset& others) const;

  Options options_;
  LabProgram lab_;
  Results results_;
  std::vector<Case> cases_;
  std::unique_ptr<Kernels> kernels_;
  std::exception_ptr refused_;  // the error of loading the kernels; null: loaded
  int run_ = 0;
  int failed_ = 0;
  bool stuck_ = false;
};

// Records device and versions. Throws UsageError if there is no device.
void record_environment(Results& results);

// The outcome for an exception of errors.hpp that a kernel caused. Rethrows all others.
Outcome outcome_of(std::exception_ptr error);

}  // namespace warpgrade::harness
