#include "cudart/gpu.hpp"

#include <algorithm>
#include <cstring>

namespace warpgrade::cudart {
namespace {

#include "gpus.inc"

constexpr int kConstantBytes = 65536;
constexpr int kMostPitch = 2147483647;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;

int to_int(double value) { return static_cast<int>(value); }

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
int most_grid_x(const Gpu& gpu) { return gpu.major < 3 ? 65535 : 2147483647; }
int most_block_z(const Gpu&) { return 64; }
int single_to_double(const Gpu& gpu) {
  return gpu.fp64_lanes <= 0 ? 0 : to_int(gpu.fp32_lanes / gpu.fp64_lanes);
}
// The part of L2 that may be set aside; 30 MB of 40 on A100, 37.5 of 60 on H200.
int persisting_l2(const Gpu& gpu) {
  if (gpu.major < 8) return 0;
  return static_cast<int>(gpu.major >= 9 ? gpu.l2_bytes / 8 * 5 : gpu.l2_bytes / 4 * 3);
}

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }
std::span<const ComputeCapability> compute_capabilities() { return kComputeCapabilities; }

const Gpu* find_gpu(std::string_view id) {
  const auto found =
      std::find_if(std::begin(kGpus), std::end(kGpus), [&](const Gpu& g) { return g.id == id; });
  return found == std::end(kGpus) ? nullptr : &*found;
}

const ComputeCapability* find_capability(int major, int minor) {
  for (const ComputeCapability& each : kComputeCapabilities)
    if (each.major == major && each.minor == minor) return &each;
  return nullptr;
}

const ComputeCapability& capability(const Gpu& gpu) {
  return *find_capability(gpu.major, gpu.minor);  // generate.py has checked that the row is there
}

exec::DeviceLimits limits(const Gpu& gpu) {
  const ComputeCapability& sm = capability(gpu);
  exec::DeviceLimits out;
  const auto threads = static_cast<std::uint32_t>(sm.block_threads);
  out.max_threads_per_block = sm.block_threads;
  out.max_block = {threads, threads, static_cast<std::uint32_t>(most_block_z(gpu))};
  out.max_grid = {static_cast<std::uint32_t>(most_grid_x(gpu)), 65535, gpu.major < 2 ? 1u : 65535u};
  out.shared_bytes_per_block = static_cast<std::uint32_t>(sm.block_shared);
  out.shared_bytes_per_block_optin = static_cast<std::uint32_t>(sm.block_shared_optin);
  out.sm_count = gpu.sm_count;
  out.name = gpu.name;
  return out;
}

// Numbers that do not follow from the tables were read from an H200 (driver 580): sizes of textures and
// surfaces, which kernels here cannot use, and features, of which ours says what it has.
std::optional<int> attribute(const Gpu& gpu, cudaDeviceAttr which) {
  const ComputeCapability& sm = capability(gpu);
  const exec::DeviceLimits most = limits(gpu);
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return sm.block_threads;
    case cudaDevAttrMaxBlockDimX:
      return static_cast<int>(most.max_block.x);
    case cudaDevAttrMaxBlockDimY:
      return static_cast<int>(most.max_block.y);
    case cudaDevAttrMaxBlockDimZ:
      return static_cast<int>(most.max_block.z);
    case cudaDevAttrMaxGridDimX:
      return static_cast<int>(most.max_grid.x);
    case cudaDevAttrMaxGridDimY:
      return static_cast<int>(most.max_grid.y);
    case cudaDevAttrMaxGridDimZ:
      return static_cast<int>(most.max_grid.z);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return sm.block_shared;
    case cudaDevAttrTotalConstantMemory:
      return kConstantBytes;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxPitch:
      return kMostPitch;
    case cudaDevAttrMaxRegistersPerBlock:
      return sm.block_registers;
    case cudaDevAttrClockRate:
      return to_int(gpu.clock_mhz * 1000);  // kHz
    case cudaDevAttrTextureAlignment:
      return kTextureAlignment;
    case cudaDevAttrTexturePitchAlignment:
      return kTexturePitchAlignment;
    case cudaDevAttrSurfaceAlignment:
      return kTextureAlignment;
    case cudaDevAttrMultiProcessorCount:
      return gpu.sm_count;
    case cudaDevAttrMemoryClockRate:
      return to_int(gpu.memory_clock_mhz * 1000);
    case cudaDevAttrGlobalMemoryBusWidth:
      return gpu.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(gpu.l2_bytes);
    case cudaDevAttrMaxPersistingL2CacheSize:
      return persisting_l2(gpu);
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return gpu.major >= 8 ? 134217728 : 0;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return sm.threads;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return sm.blocks;
    case cudaDevAttrComputeCapabilityMajor:
      return gpu.major;
    case cudaDevAttrComputeCapabilityMinor:
      return gpu.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return sm.shared;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return sm.block_shared_optin;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return sm.shared_reserved;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return sm.registers;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return single_to_double(gpu);
    case cudaDevAttrAsyncEngineCount:
      return 3;
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
      return 0;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrEccEnabled:
      return 1;
    case cudaDevAttrNumaId:
      return -1;
    case cudaDevAttrMemSyncDomainCount:
      return 1;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxTexture2DLinearWidth:
    case cudaDevAttrMaxSurface1DWidth:
    case cudaDevAttrMaxSurface2DWidth:
      return 131072;
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxSurface2DHeight:
      return 65536;
    case cudaDevAttrMaxTexture2DLinearHeight:
      return 65000;
    case cudaDevAttrMaxTexture2DLinearPitch:
      return 2097120;
    case cudaDevAttrMaxTexture1DLinearWidth:
      return 268435456;
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
      return 16384;
    case cudaDevAttrMaxTexture3DWidthAlt:
    case cudaDevAttrMaxTexture3DHeightAlt:
      return 8192;
    case cudaDevAttrMaxTexture2DLayeredLayers:
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxSurface1DLayeredLayers:
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return 2048;
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return 2046;
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DGatherWidth:
    case cudaDevAttrMaxTexture2DGatherHeight:
    case cudaDevAttrMaxTexture3DDepthAlt:
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
    case cudaDevAttrMaxSurface1DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredHeight:
    case cudaDevAttrMaxSurfaceCubemapWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
    case cudaDevAttrMaxTexture2DMipmappedWidth:
    case cudaDevAttrMaxTexture2DMipmappedHeight:
    case cudaDevAttrMaxTexture1DMipmappedWidth:
      return 32768;
    default:
      break;
  }
  // The rest are features that ours has not: time limit, GPUDirect, clusters, sparse arrays, …
  const int number = static_cast<int>(which);
  if (number < 1 || number >= static_cast<int>(cudaDevAttrMax)) return std::nullopt;
  return 0;
}

cudaDeviceProp properties(const Gpu& gpu) {
  cudaDeviceProp p{};
  const auto get = [&](cudaDeviceAttr which) { return attribute(gpu, which).value_or(0); };
  std::strncpy(p.name, gpu.name, sizeof p.name - 1);
  std::strncpy(p.uuid.bytes, "warpgrade", sizeof p.uuid.bytes);
  p.totalGlobalMem = static_cast<std::size_t>(gpu.memory_bytes);
  p.totalConstMem = kConstantBytes;
  p.memPitch = kMostPitch;
  p.textureAlignment = p.surfaceAlignment = kTextureAlignment;
  p.texturePitchAlignment = kTexturePitchAlignment;
  p.sharedMemPerBlock = static_cast<std::size_t>(get(cudaDevAttrMaxSharedMemoryPerBlock));
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(get(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(get(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(get(cudaDevAttrReservedSharedMemoryPerBlock));
#define PROPERTY(member, which) p.member = get(which);
#include "cudart/properties.def"
#undef PROPERTY
  return p;
}

}  // namespace warpgrade::cudart
