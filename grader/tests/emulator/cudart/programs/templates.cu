//= int 15, float 7.5, pair 4 6
//= occupancy is asked by stub: 1
// Templates, arguments of several types and a structure by value, function attributes.
#include "check.hpp"

struct Pair {
  double first;
  char tag;
  int second;
};

template <class T>
__global__ void combine(T a, T b, T* out) {
  *out = a + b;
}

__global__ void take(char c, Pair pair, short s, double* out) {
  out[0] = pair.first + c;
  out[1] = pair.second + s;
}

template <class T>
T on_device(T a, T b) {
  T *device, host;
  OK(cudaMalloc(&device, sizeof(T)));
  combine<T><<<1, 1>>>(a, b, device);
  OK(cudaMemcpy(&host, device, sizeof(T), cudaMemcpyDeviceToHost));
  OK(cudaFree(device));
  return host;
}

int main() {
  double *device, host[2];
  OK(cudaMalloc(&device, sizeof host));
  take<<<1, 1>>>(1, Pair{3.0, 'x', 4}, 2, device);
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("int %d, float %.1f, pair %.0f %.0f\n", on_device(7, 8), on_device(5.0f, 2.5f), host[0], host[1]);

  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, combine<int>));
  CHECK(attributes.maxThreadsPerBlock == 1024);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, combine<float>, 1024, 0));
  std::printf("occupancy is asked by stub: %d\n", blocks >= 1);
}
