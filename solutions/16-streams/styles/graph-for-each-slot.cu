// A graph for each slot, built by nodes, whose nodes get other addresses for each frame.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "npy.hpp"

#define OK(x)                                                          \
  do {                                                                 \
    cudaError_t e_ = (x);                                              \
    if (e_) {                                                          \
      fprintf(stderr, "%s at %d\n", cudaGetErrorString(e_), __LINE__); \
      exit(3);                                                         \
    }                                                                  \
  } while (0)

__global__ void motion(const int* before, const int* now, int* moved, int pixels) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < pixels) moved[i] = abs(now[i] - before[i]);
}

// The frame's work as a small graph: in -> kernel -> out. There are SLOTS executables, launched in SLOTS
// streams and given other addresses each time.
int main(int argc, char** argv) {
  std::vector<size_t> shape;
  std::vector<int> data = read_npy<int>(argv[1], &shape);
  int frames = shape[0], pixels = shape[1];
  size_t bytes = pixels * sizeof(int);
  int *film, *moved;
  OK(cudaMallocHost(&film, data.size() * 4));
  OK(cudaMallocHost(&moved, data.size() * 4));
  memcpy(film, data.data(), data.size() * 4);
  const int SLOTS = 4;
  int *frame[SLOTS], *result[SLOTS];
  cudaGraph_t graph[SLOTS];
  cudaGraphExec_t exec[SLOTS];
  cudaGraphNode_t in[SLOTS], kernel[SLOTS], out[SLOTS];
  cudaEvent_t arrived[SLOTS], computed[SLOTS], start, stop;
  cudaStream_t stream[SLOTS];
  for (int s = 0; s < SLOTS; ++s) {
    OK(cudaMalloc(&frame[s], bytes));
    OK(cudaMalloc(&result[s], bytes));
    OK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&arrived[s], cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&computed[s], cudaEventDisableTiming));
  }
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  for (int s = 0; s < SLOTS; ++s) {
    OK(cudaGraphCreate(&graph[s], 0));
    cudaGraphNode_t recorded, before, done;
    OK(cudaGraphAddMemcpyNode1D(&in[s], graph[s], 0, 0, frame[s], film, bytes, cudaMemcpyHostToDevice));
    OK(cudaGraphAddEventRecordNode(&recorded, graph[s], &in[s], 1, arrived[s]));
    OK(cudaGraphAddEventWaitNode(&before, graph[s], &recorded, 1, arrived[(s + SLOTS - 1) % SLOTS]));
    void* args[] = {&frame[(s + SLOTS - 1) % SLOTS], &frame[s], &result[s], &pixels};
    cudaKernelNodeParams p;
    memset(&p, 0, sizeof p);
    p.func = (void*)motion;
    p.gridDim = dim3((pixels + 255) / 256, 1, 1);
    p.blockDim = dim3(256, 1, 1);
    p.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel[s], graph[s], &before, 1, &p));
    OK(cudaGraphAddEventRecordNode(&done, graph[s], &kernel[s], 1, computed[s]));
    OK(cudaGraphAddMemcpyNode1D(&out[s], graph[s], &kernel[s], 1, moved, result[s], bytes,
                                cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&exec[s], graph[s], 0));
  }
  OK(cudaEventRecord(start, stream[0]));
  for (int f = 0; f < frames; ++f) {
    int s = f % SLOTS;
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec[s], in[s], frame[s], film + (size_t)f * pixels, bytes,
                                          cudaMemcpyHostToDevice));
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec[s], out[s], moved + (size_t)f * pixels, result[s], bytes,
                                          cudaMemcpyDeviceToHost));
    int* prev = f ? frame[(s + SLOTS - 1) % SLOTS] : frame[s];
    void* args[] = {&prev, &frame[s], &result[s], &pixels};
    cudaKernelNodeParams p;
    memset(&p, 0, sizeof p);
    p.func = (void*)motion;
    p.gridDim = dim3((pixels + 255) / 256, 1, 1);
    p.blockDim = dim3(256, 1, 1);
    p.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(exec[s], kernel[s], &p));
    if (f >= SLOTS)
      OK(cudaStreamWaitEvent(stream[s], computed[(s + 1) % SLOTS], 0));  // who reads my old frame
    OK(cudaGraphLaunch(exec[s], stream[s]));
  }
  for (int s = 1; s < SLOTS; ++s) {
    cudaEvent_t end;
    OK(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
    OK(cudaEventRecord(end, stream[s]));
    OK(cudaStreamWaitEvent(stream[0], end, 0));
    OK(cudaEventDestroy(end));
  }
  OK(cudaEventRecord(stop, stream[0]));
  OK(cudaStreamSynchronize(stream[0]));
  float ms;
  OK(cudaEventElapsedTime(&ms, start, stop));
  printf("%f ms\n", ms);
  write_npy(argv[2], moved, shape);
  for (int s = 0; s < SLOTS; ++s) {
    OK(cudaGraphExecDestroy(exec[s]));
    OK(cudaGraphDestroy(graph[s]));
    OK(cudaStreamDestroy(stream[s]));
    OK(cudaEventDestroy(arrived[s]));
    OK(cudaEventDestroy(computed[s]));
    OK(cudaFree(frame[s]));
    OK(cudaFree(result[s]));
  }
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(stop));
  OK(cudaFreeHost(film));
  OK(cudaFreeHost(moved));
  return 0;
}
