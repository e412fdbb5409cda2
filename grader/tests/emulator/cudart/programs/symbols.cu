//= 11 22 33 44
//= scaled by 3: 30
//= shadow size 16, constant size 4
// Variables of the device, read and written from the host by their names.
#include "check.hpp"

__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factor = 2;
static __device__ int result;

__global__ void raise() { table[threadIdx.x] += 10 * (threadIdx.x + 1); }
__global__ void scale(int x) { result = factor * x; }

int main() {
  raise<<<1, 4>>>();
  int host[4];
  OK(cudaMemcpyFromSymbol(host, table, sizeof host));
  std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  const int three = 3;
  OK(cudaMemcpyToSymbol(factor, &three, sizeof three));
  scale<<<1, 1>>>(10);
  int scaled;
  OK(cudaMemcpyFromSymbol(&scaled, result, sizeof scaled));
  std::printf("scaled by 3: %d\n", scaled);

  std::size_t bytes, constant_bytes;
  OK(cudaGetSymbolSize(&bytes, table));
  OK(cudaGetSymbolSize(&constant_bytes, factor));
  std::printf("shadow size %zu, constant size %zu\n", bytes, constant_bytes);
  void* address;
  OK(cudaGetSymbolAddress(&address, table));
  const int nine = 9;
  OK(cudaMemcpy(static_cast<int*>(address) + 1, &nine, sizeof nine, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromSymbol(host, table, sizeof(int), sizeof(int)));
  CHECK(host[0] == 9);

  IS(cudaMemcpyToSymbol(table, host, 17), cudaErrorInvalidValue);
  IS(cudaMemcpyToSymbol(table, host, 8, 12), cudaErrorInvalidValue);
  int none;
  IS(cudaMemcpyToSymbol(none, host, 4), cudaErrorInvalidSymbol);
}
