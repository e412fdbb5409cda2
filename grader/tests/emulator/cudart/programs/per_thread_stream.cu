//= per-thread default stream: 5
// The names that --default-stream per-thread uses.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "check.hpp"

__global__ void put(int* x) { *x = 5; }

int main() {
  int *device, host = 0;
  OK(cudaMallocAsync(&device, sizeof(int), cudaStreamPerThread));
  put<<<1, 1>>>(device);
  OK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaFreeAsync(device, cudaStreamPerThread));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  std::printf("per-thread default stream: %d\n", host);
}
