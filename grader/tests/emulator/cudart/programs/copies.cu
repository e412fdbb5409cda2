//= 2-D: 11 12 13 21 22 23
//= 3-D: 48 right
//= batch: 1 2 3 4
//! a batch needs a stream of its own
// Pitched and boxed copies, fills, and the ranges that a copy may have.
#include "check.hpp"

__global__ void fill(cudaPitchedPtr box, int width, int height, int depth) {
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        char* row = static_cast<char*>(box.ptr) + (z * box.ysize + y) * box.pitch;
        reinterpret_cast<int*>(row)[x] = 100 * z + 10 * y + x;
      }
}

void batches() {
  int *device, back[4] = {};
  OK(cudaMalloc(&device, 16));
  const int first[2] = {1, 2}, second[2] = {3, 4};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  std::size_t begin = 0, bytes[2] = {8, 8}, late = 2;
  const void* from[2] = {first, second};
  void* to[2] = {device, device + 2};
  OK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &begin, 1, stream));
  const void* also_from[2] = {device, device + 2};
  void* also_to[2] = {back, back + 2};
  OK(cudaMemcpyBatchAsync(also_to, also_from, bytes, 2, &attributes, &begin, 1, stream));
  OK(cudaStreamSynchronize(stream));
  std::printf("batch: %d %d %d %d\n", back[0], back[1], back[2], back[3]);

  bytes[1] = 12;  // past the end: not even the first is copied
  const int others[2] = {7, 8};
  from[0] = others;
  IS(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &begin, 1, stream), cudaErrorInvalidValue);
  OK(cudaMemcpy(back, device, 16, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 1);
  bytes[1] = 8;
  IS(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &begin, 1, nullptr), cudaErrorInvalidValue);
  IS(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &late, 1, stream), cudaErrorInvalidValue);
  IS(cudaMemcpyBatchAsync(to, from, bytes, 2, nullptr, nullptr, 0, stream), cudaErrorInvalidValue);
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  IS(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &begin, 1, stream), cudaErrorInvalidValue);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(device));
}

int main() {
  const int source[2][4] = {{11, 12, 13, 0}, {21, 22, 23, 0}};
  int target[2][3];
  int* device;
  std::size_t pitch;
  OK(cudaMallocPitch(&device, &pitch, 3 * sizeof(int), 2));
  CHECK(pitch >= 3 * sizeof(int) && pitch % 32 == 0);
  OK(cudaMemcpy2D(device, pitch, source, sizeof source[0], 3 * sizeof(int), 2, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(target, sizeof target[0], device, pitch, 3 * sizeof(int), 2, cudaMemcpyDeviceToHost));
  std::printf("2-D: %d %d %d %d %d %d\n", target[0][0], target[0][1], target[0][2], target[1][0], target[1][1],
              target[1][2]);
  IS(cudaMemcpy2D(device, 8, source, 16, 12, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);

  const cudaExtent extent = make_cudaExtent(4 * sizeof(int), 3, 4);
  cudaPitchedPtr box;
  OK(cudaMalloc3D(&box, extent));
  fill<<<1, 1>>>(box, 4, 3, 4);
  int host[4][3][4] = {};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(host, 4 * sizeof(int), 4, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  int right = 0;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) right += host[z][y][x] == 100 * z + 10 * y + x;
  std::printf("3-D: %d right\n", right);

  batches();
  unsigned char bytes[16];
  OK(cudaMemset2D(device, pitch, 7, 4, 2));
  OK(cudaMemcpy(bytes, device, 8, cudaMemcpyDefault));
  CHECK(bytes[3] == 7 && bytes[4] == 12);
  OK(cudaMemcpy(device, bytes, 0, cudaMemcpyHostToDevice));
  IS(cudaMemcpy(device, source, 32, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  IS(cudaFree(reinterpret_cast<char*>(device) + 4), cudaErrorInvalidValue);
  OK(cudaFree(device));
  IS(cudaFree(device), cudaErrorInvalidValue);
  OK(cudaFree(nullptr));
}
