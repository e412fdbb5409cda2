#include "cudart/device/gpu.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace warpgrade::cudart;

TEST_CASE("each GPU has a row of limits and figures that make sense") {
  for (const Gpu& gpu : gpus()) {
    CAPTURE(std::string_view(gpu.id));
    CHECK(find_gpu(gpu.id) == &gpu);
    CHECK(capability(gpu).major == gpu.major);
    CHECK(gpu.sm_count > 0);
    CHECK(gpu.clock_mhz > 500);
    CHECK(gpu.memory_bytes_per_second > 1e10);
    CHECK(gpu.memory_bytes > 0);
    const cudaDeviceProp p = properties(gpu);
    CHECK(std::string(p.name) == gpu.name);
    CHECK(p.multiProcessorCount == gpu.sm_count);
    CHECK(p.maxThreadsPerBlock == limits(gpu).sm.block_threads);
    CHECK(p.maxThreadsPerMultiProcessor == 32 * capability(gpu).warps);
  }
  CHECK(find_gpu("no-such-gpu") == nullptr);
}

// Read from an H200, with cudaDeviceGetAttribute of driver 580.
TEST_CASE("an H200 says what an H200 says") {
  const Gpu& h200 = *find_gpu("h200");
  const auto is = [&](cudaDeviceAttr which, int value) { CHECK(attribute(h200, which) == value); };
  is(cudaDevAttrMaxThreadsPerBlock, 1024);
  is(cudaDevAttrMaxGridDimX, 2147483647);
  is(cudaDevAttrMaxGridDimY, 65535);
  is(cudaDevAttrMaxBlockDimZ, 64);
  is(cudaDevAttrMaxSharedMemoryPerBlock, 49152);
  is(cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448);
  is(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472);
  is(cudaDevAttrReservedSharedMemoryPerBlock, 1024);
  is(cudaDevAttrClockRate, 1980000);
  is(cudaDevAttrMemoryClockRate, 3201000);
  is(cudaDevAttrGlobalMemoryBusWidth, 6016);
  is(cudaDevAttrL2CacheSize, 62914560);
  is(cudaDevAttrMaxPersistingL2CacheSize, 39321600);
  is(cudaDevAttrMultiProcessorCount, 132);
  is(cudaDevAttrMaxBlocksPerMultiprocessor, 32);
  is(cudaDevAttrSingleToDoublePrecisionPerfRatio, 2);
  is(cudaDevAttrMaxPitch, 2147483647);
  is(cudaDevAttrClusterLaunch, 0);  // a GPU has clusters, the emulator has none
  CHECK(properties(h200).totalGlobalMem == 150109880320u);
  CHECK(attribute(h200, static_cast<cudaDeviceAttr>(0)) == std::nullopt);
  CHECK(attribute(h200, cudaDevAttrMax) == std::nullopt);
}

TEST_CASE("old GPUs have old limits") {
  const auto g80 = limits(*find_gpu("g80"));
  CHECK(g80.sm.block_threads == 512);
  CHECK(g80.max_grid.x == 65535);
  CHECK(g80.max_grid.z == 1);
  CHECK(g80.sm.block_shared == 16384);
}
