// The solution of lab 09 against cuBLAS in single precision without tensor cores: 0.95 of its rate at 4096³ and 8192³.
// Sizes that are no multiples of 4 are copied by single floats; at 1024³ there are fewer blocks than SMs.
// ptxas: -O1
#include "../../../../solutions/09-sgemm/kernel.cu"
#include "cublas.cuh"
#include "rate.cuh"

int main() {
  const Cublas library;
  Rate rate;
  bool reached = true;
  char what[64];
  for (const int side : {1023, 1024, 2047, 2048, 3001, 4095, 4096, 4098, 5000, 8192}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    const std::vector<float> random = random_numbers<float>(count);
    float* const A = device_copy(random);
    float* const B = device_copy(random);
    float* const C = device_array<float>(count);
    const dim3 grid((side + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (side + BLOCK_ROWS - 1) / BLOCK_ROWS);
    const auto solution = [&] { sgemm<<<grid, THREADS>>>(A, B, C, side, side, side, 1.0f, 0.0f); };
    const auto theirs = [&] { library.multiply(A, B, C, side, side, side); };
    std::snprintf(what, sizeof what, "sgemm, %d x %d x %d", side, side, side);
    const bool promised = side == 4096 || side == 8192;
    reached = rate.compare(what, 12.0 * static_cast<double>(count), promised ? 0.95 : 0.0, solution, theirs) && reached;
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
  }
  return reached ? 0 : 1;
}
