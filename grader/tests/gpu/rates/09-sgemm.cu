// The solution of lab 09 against cuBLAS in single precision without tensor cores: its rate from 1024³ up, at
// sizes that fill whole tiles, that leave a little beside them, and that can be copied by single floats only.
// ptxas: -O1
#include "../../../../solutions/09-sgemm/kernel.cu"
#include "cublas.cuh"
#include "rate.cuh"

int main() {
  const Cublas library;
  Rate rate;
  bool reached = true;
  char what[64];
  for (const int side : {1024, 1025, 1030, 1065, 1088, 1125, 1153, 1165, 1200, 1281, 1500,
                         1586, 2047, 2048, 2049, 3001, 4095, 4096, 4098, 5000, 8192}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    const std::vector<float> random = random_numbers<float>(count);
    float* const A = device_copy(random);
    float* const B = device_copy(random);
    float* const C = device_array<float>(count);
    float* const D = device_array<float>(count);
    constexpr int columns = BLOCK_COLUMNS / BLOCKS_OF_TILE;
    const dim3 grid((side + columns - 1) / columns, (side + BLOCK_ROWS - 1) / BLOCK_ROWS);
    const auto solution = [&] { sgemm<<<grid, THREADS>>>(A, B, C, side, side, side, 1.0f, 0.0f); };
    const auto theirs = [&] { library.multiply(A, B, D, side, side, side); };
    std::snprintf(what, sizeof what, "sgemm, %d x %d x %d", side, side, side);
    reached = rate.compare(what, 12.0 * static_cast<double>(count), 1.0, solution, theirs) && reached;
    reached = is_same(C, D, count, 1e-4 * side) && reached;
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    cudaFree(D);
  }
  return reached ? 0 : 1;
}
