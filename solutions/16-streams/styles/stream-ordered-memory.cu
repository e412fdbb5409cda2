// Stream-ordered memory for each frame, copies of rows, a function of the host. Loses: travels-once, overlap, graph.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "npy.hpp"

#define CUDA(call)                                          \
  if (cudaError_t e = call; e != cudaSuccess) {             \
    fprintf(stderr, #call ": %s\n", cudaGetErrorString(e)); \
    return EXIT_FAILURE;                                    \
  }

__global__ void motion(const int* before, const int* now, int* moved, int pixels) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += blockDim.x * gridDim.x)
    moved[i] = max(now[i], before[i]) - min(now[i], before[i]);
}

void CUDART_CB count(void* counter) { ++*static_cast<int*>(counter); }

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<std::size_t> shape;
  auto values = read_npy<int>(argv[1], &shape);
  const int frames = int(shape[0]), pixels = int(shape[1]);
  const size_t row = pixels * sizeof(int);
  int *film, *moved;
  CUDA(cudaMallocHost((void**)&film, frames * row));
  CUDA(cudaMallocHost((void**)&moved, frames * row));
  std::copy_n(values.data(), values.size(), film);
  cudaMemPool_t pool;
  CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long keep = ~0ull;
  CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  int grid, block;
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, motion, 0, 0));
  grid = std::min(grid, (pixels + block - 1) / block);
  const int streams = 3;
  cudaStream_t stream[streams];
  cudaEvent_t first, last, done[streams];
  for (int s = 0; s < streams; ++s) {
    CUDA(cudaStreamCreate(&stream[s]));
    CUDA(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
  }
  CUDA(cudaEventCreate(&first));
  CUDA(cudaEventCreate(&last));
  int counted = 0;
  CUDA(cudaEventRecord(first, stream[0]));
  for (int s = 1; s < streams; ++s) CUDA(cudaStreamWaitEvent(stream[s], first, 0));
  // The frame before travels with each frame, so that each stream is by itself.
  for (int f = 0; f < frames; ++f) {
    cudaStream_t mine = stream[f % streams];
    const int from = std::max(0, f - 1);
    int* two;
    CUDA(cudaMallocAsync(&two, 2 * row, mine));
    CUDA(cudaMemcpy2DAsync(two, row, film + size_t(from) * pixels, row, row, f - from + 1,
                           cudaMemcpyHostToDevice, mine));
    int* now = two + size_t(f - from) * pixels;
    motion<<<grid, block, 0, mine>>>(two, now, now, pixels);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpyAsync(moved + size_t(f) * pixels, now, row, cudaMemcpyDeviceToHost, mine));
    CUDA(cudaFreeAsync(two, mine));
  }
  for (int s = 0; s < streams; ++s) {
    CUDA(cudaEventRecord(done[s], stream[s]));
    CUDA(cudaStreamWaitEvent(stream[0], done[s], 0));
  }
  CUDA(cudaEventRecord(last, stream[0]));
  CUDA(cudaLaunchHostFunc(stream[0], count, &counted));
  CUDA(cudaStreamSynchronize(stream[0]));
  if (counted != 1) return EXIT_FAILURE;
  float ms;
  CUDA(cudaEventElapsedTime(&ms, first, last));
  printf("%d frames, %.5f ms\n", frames, ms);
  write_npy(argv[2], moved, shape);
  for (int s = 0; s < streams; ++s) {
    CUDA(cudaStreamDestroy(stream[s]));
    CUDA(cudaEventDestroy(done[s]));
  }
  CUDA(cudaEventDestroy(first));
  CUDA(cudaEventDestroy(last));
  CUDA(cudaFreeHost(film));
  CUDA(cudaFreeHost(moved));
}
