#include "launch/occupancy.hpp"

#include <doctest/doctest.h>

#include <climits>

#include "cuda_occupancy.h"  // NVIDIA's own calculation, from 3.0 on
#include "cudart/device/gpu.hpp"

using namespace warpgrade::cudart;
using namespace warpgrade::emulator;

namespace {

const ComputeCapability& cc(int major, int minor) {
  const ComputeCapability* found = find_capability(major, minor);
  REQUIRE(found != nullptr);
  return *found;
}

cudaOccDeviceProp oracle_device(const ComputeCapability& sm) {
  cudaOccDeviceProp p;
  p.computeMajor = sm.major;
  p.computeMinor = sm.minor;
  p.maxThreadsPerBlock = sm.block_threads;
  p.maxThreadsPerMultiprocessor = sm.threads;
  p.regsPerBlock = sm.block_registers;
  p.regsPerMultiprocessor = sm.registers;
  p.warpSize = 32;
  p.sharedMemPerBlock = static_cast<std::size_t>(sm.block_shared);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.block_shared_optin);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(sm.shared_reserved);
  return p;
}

int oracle(const ComputeCapability& sm, const BlockNeeds& block) {
  const cudaOccDeviceProp device = oracle_device(sm);
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = INT_MAX;
  kernel.numRegs = block.registers;
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = block.shared;
  kernel.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, block.threads,
                                                  block.shared) == CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace

TEST_CASE("blocks per SM are those of NVIDIA's calculation, from compute capability 3.0 on") {
  for (const ComputeCapability& sm : compute_capabilities()) {
    if (sm.major < 3) continue;
    for (int threads : {1, 31, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1000, 1024})
      for (int registers = 1; registers <= 255; registers += registers % 8 == 0 ? 1 : 7)
        for (std::size_t shared : {0u, 1u, 1000u, 8192u, 33000u, 49152u}) {
          CAPTURE(sm.major);
          CAPTURE(sm.minor);
          CAPTURE(threads);
          CAPTURE(registers);
          CAPTURE(shared);
          if (registers > sm.thread_registers) continue;  // NVIDIA's knows no 3.0 with its 63
          REQUIRE(blocks_per_sm(sm, {threads, registers, shared}) ==
                  oracle(sm, {threads, registers, shared}));
        }
  }
}

TEST_CASE("blocks per SM with more shared memory than is had without asking") {
  for (const ComputeCapability& sm : compute_capabilities()) {
    if (sm.major < 7) continue;
    for (std::size_t shared = 50000; shared <= static_cast<std::size_t>(sm.block_shared_optin);
         shared += 1111) {
      CAPTURE(sm.major);
      CAPTURE(sm.minor);
      CAPTURE(shared);
      REQUIRE(blocks_per_sm(sm, {128, 32, shared}) == oracle(sm, {128, 32, shared}));
    }
  }
}

TEST_CASE("numbers that the course works out by hand") {
  CHECK(blocks_per_sm(cc(9, 0), {1024, 32, 0}) == 2);
  CHECK(blocks_per_sm(cc(9, 0), {1024, 33, 0}) == 1);
  CHECK(blocks_per_sm(cc(9, 0), {96, 40, 0}) == 16);  // 17 if the partitions of the registers are forgotten
  CHECK(blocks_per_sm(cc(1, 0), {256, 10, 0}) == 3);  // G80
  CHECK(blocks_per_sm(cc(1, 0), {256, 11, 0}) == 2);
  CHECK(blocks_per_sm(cc(1, 0), {512, 8, 0}) == 1);
  CHECK(blocks_per_sm(cc(1, 0), {513, 8, 0}) == 0);
  CHECK(blocks_per_sm(cc(1, 3), {256, 16, 0}) == 4);
  CHECK(blocks_per_sm(cc(1, 0), {256, 10, 5 * 1024}) == 3);
  CHECK(blocks_per_sm(cc(1, 0), {256, 10, 6 * 1024}) == 2);
}

TEST_CASE("a block that cannot run") {
  CHECK(blocks_per_sm(cc(9, 0), {0, 32, 0}) == 0);
  CHECK(blocks_per_sm(cc(9, 0), {1025, 32, 0}) == 0);
  CHECK(blocks_per_sm(cc(9, 0), {1024, 65, 0}) == 0);
  CHECK(blocks_per_sm(cc(9, 0), {32, 256, 0}) == 0);
  CHECK(blocks_per_sm(cc(9, 0), {32, 32, 232449}) == 0);
}

TEST_CASE("dynamic shared memory for a number of blocks") {
  CHECK(dynamic_shared_for(cc(9, 0), 0, 1) == 232448);
  CHECK(dynamic_shared_for(cc(9, 0), 0, 2) == 115712);
  CHECK(dynamic_shared_for(cc(9, 0), 4096, 2) == 111616);
  CHECK(dynamic_shared_for(cc(9, 0), 0, 0) == 0);
  for (int blocks = 1; blocks <= 32; ++blocks) {
    const std::size_t bytes = dynamic_shared_for(cc(9, 0), 0, blocks);
    CHECK(blocks_per_sm(cc(9, 0), {32, 16, bytes}) >= blocks);
    CHECK(blocks_per_sm(cc(9, 0), {32, 16, bytes + 128}) < blocks);
  }
}
