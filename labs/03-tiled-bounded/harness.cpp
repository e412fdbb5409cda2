// Lab 03, the host half: what a program does around the kernel that you write.
#include "lab.hpp"

using namespace warpgrade::harness;

// Multiplies the matrices of one case on the device and returns the outcome.
static Outcome multiply(const Dataset& data, const Kernel& kernel) {
  const auto [m, n, k] = data.sizes();

  // Allocate on the device. The inputs are copied there; the result starts as "never written".
  const DeviceMatrix A("A", data.A);
  const DeviceMatrix B("B", data.B);
  const DeviceMatrix C("C", m, n);

  // Launch as many blocks as it takes to cover C. A launch returns at once, and what goes wrong while
  // the kernel runs is reported by the call that waits for it.
  kernel.launch(A.data(), B.data(), C.data(), m, n, k);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else.
  if (const auto fault = first_fault({&A, &B, &C})) return *fault;

  // Copy the result back and compare it with the one computed in double precision.
  return compare(data, C.copy_back(), kernel.shape());
}

int main(int argc, char** argv) { return run_lab("matmul_tiled_bounded", multiply, argc, argv); }
