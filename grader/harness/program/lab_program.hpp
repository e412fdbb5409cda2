// The functions that a lab passes to the harness.
#pragma once
#include <memory>

#include "cases/dataset.hpp"
#include "comparison/compare.hpp"
#include "device/device_arrays.hpp"
#include "launches/kernels.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// How a lab refreshes the inputs of each timed round and checks the result, if making the case again and
// comparing all of it would take too long.
class TimedRounds {
 public:
  virtual ~TimedRounds() = default;
  // Replaces the inputs in `data` by those of the seed.
  virtual void refresh(Dataset& data, std::uint64_t seed) = 0;
  // Checks a timed result; `closely` in one round, which the kernel cannot know.
  virtual Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                         bool closely) = 0;
};

struct LabProgram {
  // Declares the arrays of a case, fills the inputs and sets the expected outputs.
  void (*make)(Dataset& data) = nullptr;
  // Launches the kernels of a case once.
  void (*launch)(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) = nullptr;
  // Judges the results of a case or a timed round, for labs with more than one right result. Null: compare().
  Outcome (*judge)(const Dataset& data, const HostArrays& results, const Kernels& kernels) = nullptr;
  // Runs and judges one case. Null: run_case().
  Outcome (*run)(const Dataset& data, const Kernels& kernels) = nullptr;
  // Whether blocks of the case's kernel may wait for each other. The emulator then runs it once more, with
  // blocks in turns: one after the other, each block would find all that the blocks before it have left.
  // Null: none wait.
  bool (*waits)(const Dataset& data) = nullptr;
  // Declares the arrays of a timed size in `data`. Without it, each round makes the case with another seed.
  std::unique_ptr<TimedRounds> (*rounds)(Dataset& data) = nullptr;
};

// Judges the results: with the lab's own function, else by comparison.
Outcome judge_results(const LabProgram& lab, const Dataset& data, const HostArrays& results,
                      const Kernels& kernels);

// One case: allocate, copy, launch, wait, look for faults, copy back, compare.
Outcome run_case(const LabProgram& lab, const Dataset& data, const Kernels& kernels);

}  // namespace warpgrade::harness
