#include "program/session.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#include "base/emulator.hpp"
#include "base/errors.hpp"
#include "cases/dataset_files.hpp"
#include "device/gpu_turn.hpp"
#include "device/kept_addresses.hpp"

namespace warpgrade::harness {
namespace {

// What is added to a case's name in the labels of further launches. The grader counts findings of the second
// launch as the case's, but not what it costs.
constexpr const char* again = "/again";
constexpr const char* reloaded = "/reloaded";

}  // namespace

void record_environment(Results& results) {
  int driver = 0;
  int runtime = 0;
  cudaDeviceProp device{};
  try {
    check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
    check(cudaDriverGetVersion(&driver), "asking for the driver's version");
    // A kernel that never ends costs the process processor time, for which it is ended; waiting for a turn
    // costs none.
    check(cudaSetDeviceFlags(cudaDeviceScheduleSpin), "asking to wait actively");
    check(cudaFree(nullptr), "starting the GPU's context");  // outside the first turn
    check(cudaGetDeviceProperties(&device, 0), "asking for the GPU's name");
  } catch (const CudaError& error) {
    throw UsageError(std::string("no GPU answers: ") + error.what() +
                     ". Set LD_LIBRARY_PATH=build/emulator to run without one");
  }
  results.environment(device.name, runtime, driver);
}

Outcome outcome_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const KernelMissing& missing) {
    return Outcome::failure(Status::kernel_missing, missing.what());
  } catch (const ImpossibleLaunch& impossible) {
    return Outcome::failure(Status::launch_shape, impossible.what());
  } catch (const CudaError& failed) {
    Outcome outcome = Outcome::failure(Status::cuda_error, failed.what());
    outcome.cuda_error = cudaGetErrorName(static_cast<cudaError_t>(failed.code));
    cudaGetLastError();  // clears an error that is not sticky
    outcome.sticky = cudaDeviceSynchronize() != cudaSuccess;
    return outcome;
  }
}

Session::Session(const Options& options, const LabProgram& lab)
    : options_(options),
      lab_(lab),
      results_(options.results),
      cases_(read_cases(options.data / "cases.json").cases) {
  record_environment(results_);
  load_kernels();
}

void Session::load_kernels() {
  try {
    kernels_ = std::make_unique<Kernels>(options_.kernel, options_.kernels);
    for (const Kernel& kernel : kernels_->all()) results_.launch_shape(kernel.shape());
  } catch (const UsageError&) {
    throw;
  } catch (...) {
    refused_ = std::current_exception();
  }
}

Outcome Session::run(const Dataset& data) {
  const KeptAddresses addresses;
  const Outcome first = run_case(lab_, data, *kernels_);
  if (first.status != Status::pass) return first;
  // The emulator knows from the code whether a launch can leave anything behind; a GPU does not.
  const std::string kept = emulator::kept_state();
  if (emulator::present() && lab_.waits && lab_.waits(data)) {
    const Outcome in_turns = run_in_turns(data);
    if (in_turns.status != Status::pass) return in_turns;
  }
  if (emulator::present() && kept.empty()) return first;
  Dataset others(data.again());
  lab_.make(others);
  Outcome second = run_again(others);
  if (second.status == Status::pass) return first;
  const Outcome fresh = second.sticky ? Outcome{} : run_reloaded(others);
  second.sticky |= fresh.sticky;
  const bool is_kept = fresh.status != second.status;
  second.message =
      (!is_kept
           ? "With other values than those of the first launch: "
           : "Right at the first launch, wrong at the second: the kernel keeps something between launches" +
                 (kept.empty() ? "" : " in " + kept) + ". ") +
      second.message;
  if (second.wrong) second.wrong->explanation = second.message;
  if (second.wrong && is_kept) second.wrong->pattern = "kept-between-launches";
  return second;
}

Outcome Session::run_again(const Dataset& others) const {
  emulator::label(others.task.name + again);
  try {
    return run_case(lab_, others, *kernels_);
  } catch (...) {
    return outcome_of(std::current_exception());
  }
}

Outcome Session::run_in_turns(const Dataset& data) const {
  emulator::blocks_in_turns(true);
  Outcome outcome = run_again(data);
  emulator::blocks_in_turns(false);
  if (outcome.status == Status::pass) return outcome;
  outcome.message =
      "Right where each block is done before the next one begins, wrong where blocks run together. " +
      outcome.message;
  if (outcome.wrong) outcome.wrong->explanation = outcome.message;
  if (outcome.wrong) outcome.wrong->pattern = "blocks-together";
  return outcome;
}

Outcome Session::run_reloaded(const Dataset& others) const {
  emulator::label(others.task.name + reloaded);
  try {
    return run_case(lab_, others, Kernels(options_.kernel, options_.kernels));
  } catch (...) {
    return outcome_of(std::current_exception());
  }
}

void Session::choose(int edit) {
  if (refused_) std::rethrow_exception(refused_);
  kernels_->set("warpgrade_edit", &edit, sizeof edit);
  results_.edit(edit);
}

Outcome Session::check(const Case& task) {
  const Dataset data = load_dataset(options_.data / task.name, task);
  results_.begin(task.name);
  emulator::label(task.name);
  Outcome outcome;
  try {
    if (refused_) std::rethrow_exception(refused_);
    const GpuTurn turn;
    outcome = run(data);
  } catch (...) {
    outcome = outcome_of(std::current_exception());
  }
  results_.outcome(task.name, outcome);
  ++run_;
  failed_ += outcome.status != Status::pass;
  stuck_ = outcome.sticky;
  return outcome;
}

int Session::finish() {
  if (run_ == 0)
    throw UsageError("no case was run. The cases are listed in " + (options_.data / "cases.json").string());
  if (!stuck_) results_.end();
  return failed_ == 0 ? 0 : 1;
}

}  // namespace warpgrade::harness
