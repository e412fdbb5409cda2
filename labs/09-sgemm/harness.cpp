// Lab 09, the host half: what a program does around the kernel that you write.
#include <cmath>

#include "lab.hpp"

using namespace warpgrade::harness;

// One call of your kernel. `off`: one of the matrices starts one float after a multiple of 256 bytes; which
// one differs from case to case, so that no kernel may look at one pointer and take it for all.
struct Call {
  float alpha;
  float beta;
  bool off;
  const char* words;
};

// With beta = 0, C is never read: there may be anything in it, and here there is NaN, which 0 · NaN would
// keep.
constexpr Call plain = {1, 0, false, "With alpha = 1 and beta = 0: "};
constexpr Call onto = {-1, 2, false, "With alpha = -1 and beta = 2: "};
constexpr Call full = {2, -3, true, "With alpha = 2, beta = -3 and a matrix that starts 4 bytes off: "};

// What stands in C before a call that adds to it: numbers as in A and B, so that no rounding hides behind
// them.
static Matrix<float> earlier_C(const Dataset& data) {
  return random_matrix(data.task.m, data.task.n, data.task.values, data.task.seed + 1, InputMatrix::A);
}

// What must stand in C afterwards, and the yardstick for its rounding errors.
static Dataset expected(const Dataset& data, const Matrix<float>& C, const Call& call) {
  Dataset wanted = data;
  for (std::size_t i = 0; i < C.values.size(); ++i) {
    const double added = static_cast<double>(call.beta) * static_cast<double>(C.values[i]);
    wanted.C.values[i] = static_cast<double>(call.alpha) * data.C.values[i] + added;
    wanted.bound.values[i] =
        std::fabs(static_cast<double>(call.alpha)) * data.bound.values[i] + std::fabs(added);
  }
  return wanted;
}

static Outcome run(const Dataset& data, const Kernel& kernel, const Call& call) {
  const auto [m, n, k] = data.sizes();

  // Allocate on the device and copy there what the kernel reads. C starts as "never written" or as numbers.
  const auto shift = [&](int matrix) -> std::size_t { return call.off && m % 3 == matrix ? 1 : 0; };
  const DeviceMatrix A("A", data.A, shift(0));
  const DeviceMatrix B("B", data.B, shift(1));
  DeviceMatrix C("C", m, n, shift(2));
  const Matrix<float> before = earlier_C(data);
  if (call.beta != 0) C.preset(before);

  // A launch returns at once, and what goes wrong is reported by the call that waits for it.
  kernel.launch(A.data(), B.data(), C.data(), m, n, k, call.alpha, call.beta);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else. Compare with the result in double precision.
  if (const auto fault = first_fault({&A, &B, &C})) return *fault;
  return compare(expected(data, before, call), C.copy_back(), kernel.shape());
}

// All calls of one case; the first that fails decides.
static Outcome multiply(const Dataset& data, const Kernel& kernel) {
  for (const Call& call : {plain, onto, full}) {
    Outcome outcome = run(data, kernel, call);
    if (outcome.status == Status::pass) continue;
    outcome.message = call.words + outcome.message;
    if (outcome.wrong) outcome.wrong->explanation = outcome.message;
    return outcome;
  }
  return {};
}

int main(int argc, char** argv) { return run_lab("sgemm", multiply, argc, argv); }
