//= 1000 sums are right
// The first program of every course: allocate, copy, launch with <<<>>>, copy back.
#include "check.hpp"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  float a[n], b[n], c[n];
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(2 * i);
  float *da, *db, *dc;
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&dc, sizeof c));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  int right = 0;
  for (int i = 0; i < n; ++i) right += c[i] == static_cast<float>(3 * i);
  std::printf("%d sums are right\n", right);
  OK(cudaFree(da));
  OK(cudaFree(db));
  OK(cudaFree(dc));
}
