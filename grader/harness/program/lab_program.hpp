// What a lab gives to the harness: its functions.
#pragma once
#include <memory>

#include "cases/dataset.hpp"
#include "comparison/compare.hpp"
#include "device/device_arrays.hpp"
#include "launches/kernels.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// A lab's own way to get new values for each timed round, and to check them, where making a case again and
// comparing all of it would take too long.
class TimedRounds {
 public:
  virtual ~TimedRounds() = default;
  // Replaces the inputs in `data` by those of the seed.
  virtual void refresh(Dataset& data, std::uint64_t seed) = 0;
  // Checks a timed result; `closely` in one round, which the kernel cannot know.
  virtual Outcome verify(const Dataset& data, const DeviceArrays& on_device, std::uint64_t seed,
                         bool closely) = 0;
};

struct LabProgram {
  // Declares the arrays of a case, fills the inputs and says what the outputs must hold.
  void (*make)(Dataset& data) = nullptr;
  // Launches the kernels of a case once.
  void (*launch)(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) = nullptr;
  // Judges the results of a case, also of a timed one, where more than one result is right; compare() if the
  // lab has none of its own.
  Outcome (*judge)(const Dataset& data, const HostArrays& results, const Kernels& kernels) = nullptr;
  // Runs and judges one case; run_case() if the lab has none of its own.
  Outcome (*run)(const Dataset& data, const Kernels& kernels) = nullptr;
  // Declares the arrays of a timed size in `data`. Without it, each round makes the case with another seed.
  std::unique_ptr<TimedRounds> (*rounds)(Dataset& data) = nullptr;
};

// Judges the results: with the lab's own function, else by comparison.
Outcome judge_results(const LabProgram& lab, const Dataset& data, const HostArrays& results,
                      const Kernels& kernels);

// One case: allocate, copy, launch, wait, look for faults, copy back, compare.
Outcome run_case(const LabProgram& lab, const Dataset& data, const Kernels& kernels);

}  // namespace warpgrade::harness
