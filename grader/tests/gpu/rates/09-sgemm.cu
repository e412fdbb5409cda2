// The solution of lab 09 against cuBLAS in single precision without tensor cores: its rate from 1024³ up, but where
// tiles of 128×256 waste the most. At 1088³ they cover 1.25 times as many elements as C has.
// ptxas: -O1
#include "../../../../solutions/09-sgemm/kernel.cu"
#include "cublas.cuh"
#include "rate.cuh"

int main() {
  const Cublas library;
  Rate rate;
  bool reached = true;
  char what[64];
  for (const int side : {1024, 1025, 1027, 1088, 1153, 1200, 1279, 1500, 2047, 2048, 2049, 3001, 4095, 4096, 4098, 5000, 8192}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    const std::vector<float> random = random_numbers<float>(count);
    float* const A = device_copy(random);
    float* const B = device_copy(random);
    float* const C = device_array<float>(count);
    constexpr int columns = BLOCK_COLUMNS / BLOCKS_OF_TILE;
    const dim3 grid((side + columns - 1) / columns, (side + BLOCK_ROWS - 1) / BLOCK_ROWS);
    const auto solution = [&] { sgemm<<<grid, THREADS>>>(A, B, C, side, side, side, 1.0f, 0.0f); };
    const auto theirs = [&] { library.multiply(A, B, C, side, side, side); };
    std::snprintf(what, sizeof what, "sgemm, %d x %d x %d", side, side, side);
    const bool promised = side <= 1027 || side >= 1279;
    reached = rate.compare(what, 12.0 * static_cast<double>(count), promised ? 1.0 : 0.0, solution, theirs) && reached;
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
  }
  return reached ? 0 : 1;
}
