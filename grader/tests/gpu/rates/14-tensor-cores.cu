// The products of lab 14 on tensor cores against cuBLAS with the same factors and single-precision sums: 0.6 of its
// rate for part 2 at 4096³. Larger products meet an H200's limit of power, which the instructions of Hopper alone, that
// cuBLAS uses, reach later: 0.57 to 0.65 at 8192³.
#include "../../../../solutions/14-tensor-cores/kernel.cu"
#include "cublas.cuh"
#include "rate.cuh"

int main() {
  const Cublas library;
  Rate rate;
  bool reached = true;
  char what[64];
  constexpr int bytes = STAGES * STAGE_HALVES * 2;
  check(cudaFuncSetAttribute(product_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "asking for shared memory");
  for (const int side : {1024, 2048, 4000, 4096, 8192}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    const half* const A = device_copy(random_numbers<half>(2 * count));
    const half* const B = A + count;
    float* const C = device_array<float>(count);
    const auto theirs = [&] { library.multiply(A, B, C, side, side, side); };
    const double moved = 8.0 * static_cast<double>(count);
    const auto blocks = [&](int columns, int rows) {
      return dim3((side + columns - 1) / columns, (side + rows - 1) / rows);
    };
    std::snprintf(what, sizeof what, "mma, %d x %d x %d", side, side, side);
    const auto mma = [&] { product_mma<<<blocks(COLUMNS, ROWS), THREADS, bytes>>>(A, B, C, side, side, side); };
    reached = rate.compare(what, moved, side == 4096 ? 0.6 : 0.0, mma, theirs) && reached;
    std::snprintf(what, sizeof what, "wmma, %d x %d x %d", side, side, side);
    const auto wmma = [&] { product_wmma<<<blocks(SIDE, SIDE), THREADS_OF_1>>>(A, B, C, side, side, side); };
    rate.compare(what, moved, 0.0, wmma, theirs);
    cudaFree(const_cast<half*>(A));
    cudaFree(C);
  }
  return reached ? 0 : 1;
}
