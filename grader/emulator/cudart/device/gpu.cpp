#include "cudart/device/gpu.hpp"

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

emulator::DeviceLimits limits(const Gpu& gpu) {
  const ComputeCapability& sm = capability(gpu);
  emulator::DeviceLimits out;
  const auto threads = static_cast<std::uint32_t>(sm.block_threads);
  out.sm = sm;
  out.max_block = {threads, threads, static_cast<std::uint32_t>(most_block_z(gpu))};
  out.max_grid = {static_cast<std::uint32_t>(most_grid_x(gpu)), 65535, gpu.major < 2 ? 1u : 65535u};
  out.sm_count = gpu.sm_count;
  out.name = gpu.name;
  return out;
}

std::optional<int> attribute(const Gpu& gpu, cudaDeviceAttr which) {
  const ComputeCapability& sm = capability(gpu);
  const emulator::DeviceLimits most = limits(gpu);
#define ATTRIBUTE(enumerator, value) \
  if (which == enumerator) return static_cast<int>(value);
#include "cudart/device/attributes.def"
#undef ATTRIBUTE
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
#include "cudart/device/properties.def"
#undef PROPERTY
  return p;
}

}  // namespace warpgrade::cudart
