#include "program/session.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#include "base/emulator.hpp"
#include "base/errors.hpp"
#include "cases/dataset_files.hpp"

namespace warpgrade::harness {

void record_environment(Results& results) {
  int driver = 0;
  int runtime = 0;
  cudaDeviceProp device{};
  try {
    check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
    check(cudaDriverGetVersion(&driver), "asking for the driver's version");
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

Outcome Session::check(const Case& task) {
  const Dataset data = load_dataset(options_.data / task.name, task);
  results_.begin(task.name);
  emulator::label(task.name);
  Outcome outcome;
  try {
    if (refused_) std::rethrow_exception(refused_);
    outcome = run_case(lab_, data, *kernels_);
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
