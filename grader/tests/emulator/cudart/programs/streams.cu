//= 1 2 3 4
//= callback after the kernels: 4
// Streams, events, pinned memory, asynchronous copies and host functions, in the order of the calls.
#include "check.hpp"

__global__ void raise(int* x) { x[threadIdx.x] += 1; }

// What a pool and a stream are told, they tell again.
void told_again() {
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreate(&other));
  cudaStreamAttrValue value = {};
  value.syncPolicy = cudaSyncPolicySpin;
  OK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  OK(cudaStreamCopyAttributes(other, stream));
  value = {};
  OK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &value));
  CHECK(value.syncPolicy == cudaSyncPolicySpin);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &properties));
  void* memory;
  unsigned long long before, after;
  OK(cudaMallocFromPoolAsync(&memory, 400, pool, stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before));
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after));
  CHECK(before >= 400 && after == 0);
  OK(cudaMemPoolDestroy(pool));
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamDestroy(other));
}

int main() {
  told_again();
  int *host, *device;
  OK(cudaMallocHost(&host, 4 * sizeof(int)));
  OK(cudaMalloc(&device, 4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) host[i] = i;

  cudaStream_t first, second;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t start, copied, end;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  OK(cudaEventCreate(&end));

  OK(cudaEventRecord(start, first));
  OK(cudaMemcpyAsync(device, host, 4 * sizeof(int), cudaMemcpyHostToDevice, first));
  OK(cudaEventRecord(copied, first));
  OK(cudaStreamWaitEvent(second, copied));
  raise<<<1, 4, 0, second>>>(device);
  OK(cudaMemcpyAsync(host, device, 4 * sizeof(int), cudaMemcpyDeviceToHost, second));
  static int seen = 0;
  OK(cudaLaunchHostFunc(
      second, [](void* data) { seen = static_cast<int*>(data)[3]; }, host));
  OK(cudaEventRecord(end, second));
  OK(cudaStreamSynchronize(second));
  OK(cudaEventSynchronize(end));
  std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  std::printf("callback after the kernels: %d\n", seen);

  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0);
  IS(cudaEventElapsedTime(&milliseconds, start, copied), cudaErrorInvalidResourceHandle);
  OK(cudaEventDestroy(start));
  IS(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  OK(cudaStreamDestroy(first));
  OK(cudaStreamDestroy(second));
  OK(cudaFreeHost(host));
  OK(cudaFree(device));
}
