// Times lab 02's solution through the CUDA runtime: on the emulator, or on a GPU with NVIDIA's library.
//
// tiled N REPEATS   →   seconds of each launch after one for warm-up, one a line
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../solutions/02-tiled/kernel.cu"

static void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "tiled: %s failed: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: tiled N REPEATS\n");
    return 2;
  }
  const int n = std::atoi(words[1]);
  const int repeats = std::atoi(words[2]);
  const std::size_t bytes = static_cast<std::size_t>(n) * n * sizeof(float);
  std::vector<float> ones(static_cast<std::size_t>(n) * n, 1.0f);
  float* matrices[3];
  for (auto& matrix : matrices) {
    must(cudaMalloc(&matrix, bytes), "cudaMalloc");
    must(cudaMemcpy(matrix, ones.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  const dim3 block(TILE_WIDTH, TILE_WIDTH), grid(n / TILE_WIDTH, n / TILE_WIDTH);
  for (int i = 0; i <= repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    matmul_tiled<<<grid, block>>>(matrices[0], matrices[1], matrices[2], n, n, n);
    must(cudaDeviceSynchronize(), "the launch");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) std::printf("%.9f\n", took.count());
  }
  std::vector<float> result(ones.size());
  must(cudaMemcpy(result.data(), matrices[2], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (float value : result)
    if (!(value == static_cast<float>(n))) {
      std::fprintf(stderr, "tiled: wrong result\n");
      return 4;
    }
}
