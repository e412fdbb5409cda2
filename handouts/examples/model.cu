// Small programs about functions, types and memories; handouts show them, a test compiles them and runs them.

//> vectors
// Points as float2: made with make_float2, their parts are .x and .y.
__global__ void move(float2* points, float2 by, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) points[i] = make_float2(points[i].x + by.x, points[i].y + by.y);
}
//< vectors

//> math
// The same value twice: by the function of the library, and by the hardware's quick approximation.
__global__ void both(const float* x, float* careful, float* quick, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  careful[i] = sinf(x[i]) / x[i];
  quick[i] = __fdividef(__sinf(x[i]), x[i]);
}
//< math

//> memories
__constant__ float weights[4];  // written by the host, read by all threads
__device__ int calls;           // lives as long as the program

__global__ void smooth(const float* input, float* output, int count) {
  __shared__ float near[256 + 3];             // one for each block
  int i = blockIdx.x * 256 + threadIdx.x;     // i, sum: registers, one for each thread
  near[threadIdx.x] = i < count ? input[i] : 0.0f;
  if (threadIdx.x < 3) near[256 + threadIdx.x] = i + 256 < count ? input[i + 256] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int w = 0; w < 4; ++w) sum += weights[w] * near[threadIdx.x + w];  // all threads read weights[w]
  if (i < count) output[i] = sum;
  if (i == 0) ++calls;
}
//< memories

//> local
// `bins` is indexed by data, so it cannot stay in registers: it goes to local memory.
__global__ void most_frequent(const unsigned char* digits, int each, int* winner) {
  int bins[10] = {};
  const unsigned char* mine = digits + threadIdx.x * each;
  for (int i = 0; i < each; ++i) ++bins[mine[i] % 10];
  int best = 0;
  for (int d = 1; d < 10; ++d)
    if (bins[d] > bins[best]) best = d;
  winner[threadIdx.x] = best;
}
//< local

//> divergence
// Neighbouring lanes go different ways: each warp runs both, one after the other.
__global__ void odd_and_even(float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) data[i] = sqrtf(data[i]);
  else data[i] = data[i] * data[i];
}

// The same work, but the way is the same for 32 neighbours: no warp is split.
__global__ void warp_by_warp(float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i / 32 % 2 == 0) data[i] = sqrtf(data[i]);
  else data[i] = data[i] * data[i];
}
//< divergence

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int count = 600;
  std::vector<float> input(count, 2.0f), output(count);
  float *from, *to;
  cudaMalloc(&from, count * sizeof(float));
  cudaMalloc(&to, count * sizeof(float));
  cudaMemcpy(from, input.data(), count * sizeof(float), cudaMemcpyHostToDevice);

  //> symbols
  // The host reaches device variables by their names.
  const float wanted[4] = {0.5f, 0.25f, 0.125f, 0.125f};
  cudaMemcpyToSymbol(weights, wanted, sizeof wanted);
  smooth<<<(count + 255) / 256, 256>>>(from, to, count);
  int how_often;
  cudaMemcpyFromSymbol(&how_often, calls, sizeof how_often);
  void* place;
  size_t bytes;
  cudaGetSymbolAddress(&place, weights);
  cudaGetSymbolSize(&bytes, weights);
  //< symbols

  cudaMemcpy(output.data(), to, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%d %zu %d %.3f %.3f\n", how_often, bytes, place != nullptr, output[0], output[count - 1]);
}
