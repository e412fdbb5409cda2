// A CUDA runtime for tests of the harness: device memory is host memory, and a kernel is a C++ function.
//
// A "fat binary" is a text that names the kernel, its launch shape and what it does:
//   kernel matmul_tiled
//   shape 16 16 16 16
//   does right
#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace fake_cudart {

// The arguments of a kernel that is to compute C = A·B; all matrices are row-major.
struct Launch {
  const float* A;
  const float* B;
  float* C;
  int m, n, k;
  float alpha, beta;
};

using Behaviour = std::function<void(const Launch&)>;

// Teaches the runtime what "does NAME" means. "right" is known from the start.
void teach(const std::string& name, Behaviour behaviour);

// To be called by a behaviour: the launch fails while it runs, and no call succeeds afterwards (a
// cudaError_t).
void stick(int error);

// To be called by a behaviour: the launch takes this time. Without the call, it takes none.
void spend(float milliseconds);

// Whether a memset is queued for which no call has waited.
bool busy();

// The next launch does not start, with this cudaError_t.
void refuse_next_launch(int error);

// An SM holds so many threads, until reset(): 2,048 at first.
void hold_threads(int of_an_sm);

// Resets the runtime as in a new process: no sticky error, no refusal.
void reset();

// Number of allocations that have not been freed.
int allocations();

// Writes a "fat binary".
std::filesystem::path write_kernel(const std::filesystem::path& file, const std::string& text);

// The text for a kernel of lab 02 with 16×16 tiles.
std::string tiled_kernel(const std::string& does);

}  // namespace fake_cudart
