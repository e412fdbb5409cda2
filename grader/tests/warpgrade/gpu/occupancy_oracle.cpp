// Blocks per SM from NVIDIA's own header, for test_occupancy.py: reads rows of limits and needs, writes a
// number for each.
#include <climits>
#include <cstdio>

#include "cuda_occupancy.h"

int main() {
  int major, minor, threads_sm, registers_sm, registers_block, threads_block, threads, registers;
  std::size_t shared_sm, shared_block, optin, reserved, shared;
  while (std::scanf("%d.%d %d %d %d %d %zu %zu %zu %zu %d %d %zu", &major, &minor, &threads_sm, &registers_sm,
                    &registers_block, &threads_block, &shared_sm, &shared_block, &optin, &reserved, &threads,
                    &registers, &shared) == 13) {
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = threads_block;
    device.maxThreadsPerMultiprocessor = threads_sm;
    device.regsPerBlock = registers_block;
    device.regsPerMultiprocessor = registers_sm;
    device.warpSize = 32;
    device.sharedMemPerBlock = shared_block;
    device.sharedMemPerMultiprocessor = shared_sm;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = optin;
    device.reservedSharedMemPerBlock = reserved;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = 0;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = shared;
    kernel.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared) !=
        CUDA_OCC_SUCCESS)
      return 1;
    std::printf("%d\n", result.activeBlocksPerMultiprocessor);
  }
}
