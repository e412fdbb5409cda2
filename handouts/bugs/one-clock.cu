// Wrong, for the handout about host programs: it compiles, runs, and always says the same.
#include <chrono>
#include <cstdio>

__global__ void work(float* data) { data[threadIdx.x] *= 2; }

int main() {
  float* data;
  cudaMalloc(&data, 256 * sizeof(float));
  cudaMemset(data, 0, 256 * sizeof(float));
  auto start = std::chrono::steady_clock::now(), stop = start;
  work<<<1, 256>>>(data);
  start = std::chrono::steady_clock::now();
  std::chrono::duration<double, std::milli> took = stop - start;
  std::printf("%.3f ms\n", took.count());
}
