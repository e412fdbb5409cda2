// Exceptions for errors other than a wrong result. The type says whose fault it is.
#pragma once
#include <stdexcept>
#include <string>

namespace warpgrade::harness {

// The command line is wrong. The process ends with exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A data set or a file of the course is missing or damaged. Names the file and the remedy; exit code 2.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The student's file lacks the kernel: the case is recorded as kernel_missing.
struct KernelMissing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// No GPU can launch the kernel with its launch shape: the case is recorded as launch_shape.
struct ImpossibleLaunch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A call of the CUDA runtime failed. `code` is a cudaError_t.
struct CudaError : std::runtime_error {
  CudaError(int error, const std::string& message) : std::runtime_error(message), code(error) {}
  int code;
};

}  // namespace warpgrade::harness
