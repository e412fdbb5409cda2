// Small programs about atomics; handouts show them, a test compiles them and runs them on the emulator.

//> lost
// Wrong: reading, adding and writing are three steps, and the threads are not alone.
__global__ void count_badly(int* count) { ++*count; }
//< lost

//> right
// One step that nobody can come between.
__global__ void count_well(int* count) { atomicAdd(count, 1); }
//< right

//> add-from-swap
// What atomicAdd does, made from compare-and-swap. Returns what stood there right before this addition.
__device__ float add(float* place, float value) {
  int* bits = reinterpret_cast<int*>(place);
  int seen = *bits;
  for (;;) {
    const int wanted = __float_as_int(__int_as_float(seen) + value);
    const int found = atomicCAS(bits, seen, wanted);
    if (found == seen) return __int_as_float(found);  // nobody came between: it is done
    seen = found;                                     // somebody did: try again from there
  }
}
//< add-from-swap

__global__ void add_all(const float* values, float* sum) { add(sum, values[threadIdx.x]); }

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
  float *values, *sums;
  cudaMalloc(&badly, sizeof(int));
  cudaMalloc(&well, sizeof(int));
  cudaMalloc(&values, 1000 * sizeof(float));
  cudaMalloc(&sums, 2 * sizeof(float));
  cudaMemset(badly, 0, sizeof(int));
  cudaMemset(well, 0, sizeof(int));
  cudaMemset(sums, 0, 2 * sizeof(float));
  const std::vector<float> ones(1000, 1.0f);
  cudaMemcpy(values, ones.data(), 1000 * sizeof(float), cudaMemcpyHostToDevice);

  count_badly<<<1, 8>>>(badly);
  count_well<<<1, 8>>>(well);
  add_all<<<1, 64>>>(values, sums);
  sum_all<<<4, 256>>>(values, 1000, sums + 1);

  int counted[2];
  float summed[2];
  cudaMemcpy(&counted[0], badly, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted[1], well, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(summed, sums, 2 * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%d %d %.0f %.0f\n", counted[0], counted[1], summed[0], summed[1]);
}
