// Small programs about atomics; handouts show them, a test compiles them and runs them on the emulator.

//> lost
// Wrong: reading, adding and writing are three steps, and the threads are not alone.
__global__ void count_badly(int* count) { ++*count; }
//< lost

//> right
// One step that nobody can come between.
__global__ void count_well(int* count) { atomicAdd(count, 1); }
//< right

//> product-from-swap
// There is no atomic multiplication; here is one, made from compare-and-swap.
__device__ unsigned multiply(unsigned* product, unsigned factor) {
  unsigned before, found = *product;
  do {
    before = found;
    found = atomicCAS(product, before, before * factor);
  } while (found != before);  // somebody came between: once more, from what stands there now
  return before;
}
//< product-from-swap

__global__ void multiply_all(unsigned* product) { multiply(product, threadIdx.x % 2 + 1); }

//> block-first
// 256 threads add up in shared memory, and only one of them goes to global memory.
__global__ void sum_all(const float* values, int count, float* sum) {
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < count ? values[i] : 0.0f;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
//< block-first

#include <cstdio>
#include <vector>

int main() {
  int *badly, *well;
  unsigned* product;
  float *values, *sum;
  cudaMalloc(&badly, sizeof(int));
  cudaMalloc(&well, sizeof(int));
  cudaMalloc(&values, 1000 * sizeof(float));
  cudaMalloc(&product, sizeof(unsigned));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(badly, 0, sizeof(int));
  cudaMemset(well, 0, sizeof(int));
  cudaMemset(sum, 0, sizeof(float));
  const unsigned one = 1;
  cudaMemcpy(product, &one, sizeof one, cudaMemcpyHostToDevice);
  const std::vector<float> ones(1000, 1.0f);
  cudaMemcpy(values, ones.data(), 1000 * sizeof(float), cudaMemcpyHostToDevice);

  count_badly<<<1, 8>>>(badly);
  count_well<<<1, 8>>>(well);
  multiply_all<<<1, 12>>>(product);
  sum_all<<<4, 256>>>(values, 1000, sum);

  int counted[2];
  unsigned multiplied;
  float summed;
  cudaMemcpy(&counted[0], badly, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted[1], well, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&multiplied, product, sizeof multiplied, cudaMemcpyDeviceToHost);
  cudaMemcpy(&summed, sum, sizeof summed, cudaMemcpyDeviceToHost);
  std::printf("%d %d %u %.0f\n", counted[0], counted[1], multiplied, summed);
}
