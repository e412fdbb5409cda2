// Execution control: launches, attributes of kernels, occupancy.
#include <algorithm>
#include <utility>

#include "cudart/api/api.hpp"
#include "launch/occupancy.hpp"
#include "symbols/host_call_site.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

thread_local const void* announced = nullptr;

cudaError_t launch(const char* name, const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, bool cooperative) {
  // For a <<<>>>, the stack holds a function that nvcc has written.
  const emulator::AnnouncedCall site(std::exchange(announced, nullptr));
  return call(name, [&](Runtime& r) {
    submit(r, stream, kernel_work(r, function, grid, block, arguments, shared, cooperative));
  });
}

int most_dynamic_shared(const Runtime& r, const RegisteredFunction& function,
                        const emulator::KernelInfo& kernel) {
  if (function.max_dynamic_shared > 0) return function.max_dynamic_shared;
  return r.limits.sm.block_shared - static_cast<int>(kernel.static_shared);
}

cudaFuncAttributes attributes_of(Runtime& r, RegisteredFunction& function) {
  const emulator::KernelInfo& kernel = r.kernel(function);
  cudaFuncAttributes a{};
  a.sharedSizeBytes = kernel.static_shared;
  a.localSizeBytes = kernel.local_bytes;
  a.maxThreadsPerBlock = std::min(kernel.max_threads, r.limits.sm.block_threads);
  a.numRegs = kernel.registers;
  a.ptxVersion = function.code->ptx_version();
  a.binaryVersion = r.compute_capability();
  a.maxDynamicSharedSizeBytes = most_dynamic_shared(r, function, kernel);
  a.preferredShmemCarveout = function.carveout;
  return a;
}

void set_attribute(Runtime& r, RegisteredFunction& function, cudaFuncAttribute which, int value) {
  const emulator::KernelInfo& kernel = r.kernel(function);
  switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const int most = r.limits.sm.block_shared_optin - static_cast<int>(kernel.static_shared);
      if (value < 0 || value > most)
        fail(cudaErrorInvalidValue,
             "%s: %d bytes of dynamic shared memory, a block may have %d beside its own",
             function.name.c_str(), value, most);
      function.max_dynamic_shared = value;
      return;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      require(value >= -1 && value <= 100, cudaErrorInvalidValue);
      function.carveout = value;
      return;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return;
    default:
      fail(cudaErrorInvalidValue);
  }
}

int blocks_of(Runtime& r, const void* any, int threads, std::size_t dynamic_shared) {
  RegisteredFunction& function = r.function(any);
  const emulator::KernelInfo& kernel = r.kernel(function);
  require(threads > 0, cudaErrorInvalidValue);
  if (threads > kernel.max_threads ||
      dynamic_shared > static_cast<std::size_t>(std::max(0, most_dynamic_shared(r, function, kernel))))
    return 0;
  return emulator::blocks_per_sm(r.limits.sm,
                                 {threads, kernel.registers, kernel.static_shared + dynamic_shared});
}

struct LaunchWishes {
  bool cooperative = false;
  bool early = false;  // may begin before the stream's last kernel has ended
};

// Clusters of more than one block are not supported; other attributes have no effect.
LaunchWishes wishes_of(const cudaLaunchConfig_t* given) {
  require(given != nullptr && (given->attrs != nullptr || given->numAttrs == 0), cudaErrorInvalidValue);
  const cudaLaunchConfig_t& config = *given;
  LaunchWishes out;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& each = config.attrs[i];
    if (each.id == cudaLaunchAttributeCooperative) out.cooperative = each.val.cooperative != 0;
    if (each.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      out.early = each.val.programmaticStreamSerializationAllowed != 0;
    if (each.id == cudaLaunchAttributeClusterDimension &&
        each.val.clusterDim.x * each.val.clusterDim.y * each.val.clusterDim.z > 1)
      fail(cudaErrorNotSupported, "clusters of more than one block are not supported");
  }
  return out;
}

}  // namespace

void warpgrade::cudart::announce_launch(const void* call) { announced = call; }

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch(__func__, function, grid, block, arguments, shared, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch(__func__, function, grid, block, arguments, shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return call(__func__, [&](Runtime& r) {
    const LaunchWishes wishes = wishes_of(config);
    KernelWork work = kernel_work(r, function, config->gridDim, config->blockDim, arguments,
                                  config->dynamicSmemBytes, wishes.cooperative);
    work.may_begin_early = wishes.early && !waits_for_last_kernel(r, work);
    submit(r, config->stream, std::move(work));
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call(__func__, [&](Runtime& r) {
    require(function != nullptr, cudaErrorInvalidValue);
    submit(r, stream, HostWork{function, data});
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call(__func__, [&](Runtime& r) {
    require(attributes != nullptr, cudaErrorInvalidValue);
    *attributes = attributes_of(r, r.function(function));
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute which, int value) {
  return call(__func__, [&](Runtime& r) { set_attribute(r, r.function(function), which, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute which, int value,
                                            int device) {
  return call(__func__, [&](Runtime& r) {
    require(device == 0, cudaErrorInvalidDevice);
    set_attribute(r, r.function(kernel), which, value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call(__func__, [&](Runtime& r) { r.function(function); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return call(__func__, [&](Runtime& r) { r.function(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call(__func__, [&](Runtime& r) {
    require(name != nullptr, cudaErrorInvalidValue);
    *name = r.function(function).name.c_str();
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return call(__func__, [&](Runtime& r) {
    const emulator::KernelInfo& kernel = r.kernel(r.function(function));
    require(offset != nullptr && index < kernel.parameters.size(), cudaErrorInvalidValue);
    *offset = kernel.parameters[index].offset;
    if (bytes != nullptr) *bytes = kernel.parameters[index].bytes;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_shared) {
  return call(__func__, [&](Runtime& r) {
    require(blocks != nullptr, cudaErrorInvalidValue);
    *blocks = blocks_of(r, function, threads, dynamic_shared);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, std::size_t dynamic_shared,
                                                                   unsigned) {
  return call(__func__, [&](Runtime& r) {
    require(blocks != nullptr, cudaErrorInvalidValue);
    *blocks = blocks_of(r, function, threads, dynamic_shared);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* any, int blocks,
                                                      int threads) {
  return call(__func__, [&](Runtime& r) {
    require(bytes != nullptr && blocks > 0, cudaErrorInvalidValue);
    RegisteredFunction& function = r.function(any);
    const emulator::KernelInfo& kernel = r.kernel(function);
    require(blocks_of(r, any, threads, 0) >= blocks, cudaErrorInvalidValue);
    const std::size_t most = static_cast<std::size_t>(std::max(0, most_dynamic_shared(r, function, kernel)));
    *bytes = std::min(most, emulator::dynamic_shared_for(r.limits.sm, kernel.static_shared, blocks));
  });
}

// A cluster has one block here.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return call(__func__, [&](Runtime& r) {
    require(clusters != nullptr, cudaErrorInvalidValue);
    wishes_of(config);
    const auto threads = static_cast<int>(config->blockDim.x * config->blockDim.y * config->blockDim.z);
    *clusters = blocks_of(r, function, threads, config->dynamicSmemBytes) * r.limits.sm_count;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return call(__func__, [&](Runtime& r) {
    require(size != nullptr && config != nullptr, cudaErrorInvalidValue);
    r.kernel(r.function(function));
    *size = 1;
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaLaunchKernel)
PER_THREAD_STREAM(cudaLaunchCooperativeKernel)
PER_THREAD_STREAM(cudaLaunchKernelExC)
PER_THREAD_STREAM(cudaLaunchHostFunc)
