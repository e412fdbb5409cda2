//= counter 7, then 107
//= sum 4950
// Managed memory: a variable and an allocation that host and device both use.
#include "check.hpp"

__managed__ int counter = 7;

__global__ void raise() { atomicAdd(&counter, 1); }
__global__ void sum(const int* values, int n, int* total) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(total, values[i]);
}

int main() {
  const int before = counter;
  raise<<<2, 50>>>();
  OK(cudaDeviceSynchronize());
  std::printf("counter %d, then %d\n", before, counter);

  int* values;
  OK(cudaMallocManaged(&values, 101 * sizeof(int)));
  for (int i = 0; i < 100; ++i) values[i] = i;
  values[100] = 0;
  sum<<<1, 32>>>(values, 100, values + 100);
  OK(cudaDeviceSynchronize());
  std::printf("sum %d\n", values[100]);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, values));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CHECK(attributes.devicePointer == values && attributes.hostPointer == values);
  OK(cudaFree(values));
}
