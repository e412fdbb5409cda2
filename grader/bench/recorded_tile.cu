// One block of 256 threads, a tile 16 wide, 8 phases: launched several times, each one timed. recording.py
// reads it.
#include <cstdio>
#include <ctime>

constexpr int kSide = 16, kPhases = 8, kDepth = kSide * kPhases, kLaunches = 9;

extern "C" __global__ void tile(const float* a, const float* b, float* c) {
  __shared__ float a_tile[kSide][kSide], b_tile[kSide][kSide];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    a_tile[ty][tx] = a[kDepth * ty + kSide * phase + tx];
    b_tile[ty][tx] = b[kSide * (kSide * phase + ty) + tx];
    __syncthreads();
    for (int i = 0; i < kSide; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  c[kSide * ty + tx] = sum;
}

int main() {
  static float values[kSide * kDepth];
  for (int i = 0; i < kSide * kDepth; ++i) values[i] = static_cast<float>((i * 7 + 3) % 23) / 8;
  float *a, *b, *c;
  cudaMalloc(&a, sizeof values);
  cudaMalloc(&b, sizeof values);
  cudaMalloc(&c, kSide * kSide * sizeof(float));
  cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice);
  cudaMemcpy(b, values, sizeof values, cudaMemcpyHostToDevice);
  for (int i = 0; i < kLaunches; ++i) {
    const std::clock_t begun = std::clock();  // of all threads of the process
    tile<<<1, dim3(kSide, kSide)>>>(a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("%f\n", 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return 0;
}
