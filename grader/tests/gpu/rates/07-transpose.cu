// The transpose of lab 07 against a copy of as many floats by the runtime: 0.8 of its rate.
#include "../../../../solutions/07-transpose/kernel.cu"
#include "rate.cuh"

int main() {
  Rate rate;
  bool reached = true;
  for (const int side : {4096, 8192, 16384}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    float *A = device_array<float>(count), *T = device_array<float>(count);
    const dim3 grid(side / TILE, side / TILE), block(TILE, ROWS);
    const auto solution = [&] { transpose<<<grid, block>>>(A, T, side, side); };
    const auto library = [&] { cudaMemcpyAsync(T, A, count * sizeof(float), cudaMemcpyDeviceToDevice); };
    char what[64];
    std::snprintf(what, sizeof what, "transpose of %d x %d", side, side);
    reached = rate.compare(what, 8.0 * static_cast<double>(count), 0.8, solution, library) && reached;
    cudaFree(A);
    cudaFree(T);
  }
  return reached ? 0 : 1;
}
