// Functions that nvcc's host code calls before main() and for <<<>>>, and the functions about kernels.
#include <map>
#include <mutex>
#include <vector>

#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/kernel_arguments.hpp"

using namespace warpgrade::remoting;

namespace {

// The argument of __cudaRegisterFatBinary (fatBinaryCtl.h), and the header that it points to.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* rest;
};
struct Image {
  std::uint32_t magic;
  std::uint16_t version, head_bytes;
  std::uint64_t bytes;
};

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;
thread_local const void* launch_site = nullptr;  // return address of the current <<<>>>

// Where the program reads the address of each managed variable, by the handle of its code.
std::multimap<void**, void**>& managed_variables() {
  static auto* all = new std::multimap<void**, void**>;
  return *all;
}

bool map_managed(void** host, const void* caller) {
  std::string out;
  int memory = -1;
  if (ask(ApiFunction::share_managed, caller, arguments(host), out, &memory) != cudaSuccess) return false;
  MessageReader reader(out);
  void* const place = reader.get<void*>();
  const auto extent = reader.get<std::uint64_t>();
  if (memory < 0 || !map_shared(place, extent, memory)) return false;
  *host = place;
  return true;
}

// Sizes of a kernel's parameters, asked for once.
cudaError_t sizes_of(const void* kernel, const void* caller, const std::vector<std::uint64_t>*& sizes) {
  static std::mutex mutex;
  static auto* known = new std::map<const void*, std::vector<std::uint64_t>>;
  const std::lock_guard lock(mutex);
  const auto found = known->find(kernel);
  if (found != known->end()) {
    sizes = &found->second;
    return cudaSuccess;
  }
  std::string out;
  const cudaError_t code = ask(ApiFunction::parameter_sizes, caller, arguments(kernel), out);
  if (code != cudaSuccess) return code;
  std::vector<std::uint64_t>& made = (*known)[kernel];
  for (MessageReader reader(out); reader.left() != 0;) made.push_back(reader.get<std::uint64_t>());
  sizes = &made;
  return cudaSuccess;
}

cudaError_t launch(ApiFunction function, const void* caller, const void* kernel, dim3 grid, dim3 block,
                   void** parameters, std::size_t shared, cudaStream_t stream) {
  if (launch_site != nullptr) caller = std::exchange(launch_site, nullptr);
  MessageWriter in = arguments(kernel, grid, block, shared, stream);
  const cudaError_t code = put_arguments(in, kernel, parameters, caller);
  return code == cudaSuccess ? remote(function, caller, in) : code;
}

}  // namespace

cudaError_t warpgrade::remoting::put_arguments(MessageWriter& in, const void* kernel, void** pointers,
                                               const void* caller) {
  const std::vector<std::uint64_t>* sizes = nullptr;
  if (const cudaError_t code = sizes_of(kernel, caller, sizes); code != cudaSuccess) return code;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (pointers == nullptr || pointers[i] == nullptr) return failed(cudaErrorInvalidValue);
    in.text(std::string(static_cast<const char*>(pointers[i]), (*sizes)[i]));
  }
  return cudaSuccess;
}

#pragma GCC visibility push(default)
extern "C" {

// A program of several files that are linked (-rdc=true) is not supported.
void** __cudaRegisterFatBinary(void* given) {
  const auto* wrapper = static_cast<const Wrapper*>(given);
  const auto* image = static_cast<const Image*>(wrapper->data);
  MessageWriter in;
  in.text(std::string(static_cast<const char*>(wrapper->data), image->head_bytes + image->bytes));
  std::string out;
  if (ask(ApiFunction::register_code, CALLER, in, out) != cudaSuccess) return nullptr;
  return MessageReader(out).get<void**>();
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  remote(ApiFunction::register_function, CALLER, arguments(handle, host).text(name));
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int, int) {
  remote(ApiFunction::register_variable, CALLER, arguments(handle, host, bytes).text(name));
}
void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t, int,
                              int) {
  remote(ApiFunction::register_managed, CALLER, arguments(handle, host).text(name));
  managed_variables().emplace(handle, host);
}
void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
// Called before the program's first access to a managed variable, the address of which it reads at `host`.
char __cudaInitModule(void** handle) {
  const auto [begin, end] = managed_variables().equal_range(handle);
  for (auto each = begin; each != end; ++each)
    if (!map_managed(each->second, CALLER)) return 0;
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  launch_site = CALLER;
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return failed(cudaErrorMissingConfiguration);
  const Configuration now = configurations.back();
  configurations.pop_back();
  *grid = now.grid;
  *block = now.block;
  *shared = now.shared;
  std::memcpy(stream, &now.stream, sizeof now.stream);
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* stub) { return __cudaGetKernel(kernel, stub); }
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** parameters,
                               std::size_t shared, cudaStream_t stream) {
  return launch(ApiFunction::cudaLaunchKernel, CALLER, kernel, grid, block, parameters, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** parameters, std::size_t shared,
                             cudaStream_t stream) {
  return launch(ApiFunction::cudaLaunchKernel, CALLER, kernel, grid, block, parameters, shared, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** parameters,
                                        std::size_t shared, cudaStream_t stream) {
  return launch(ApiFunction::cudaLaunchCooperativeKernel, CALLER, kernel, grid, block, parameters, shared,
                stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** parameters) {
  if (config == nullptr) return failed(cudaErrorInvalidValue);
  return launch(ApiFunction::cudaLaunchKernel, CALLER, kernel, config->gridDim, config->blockDim, parameters,
                config->dynamicSmemBytes, config->stream);
}
// The back end waits for the stream; the function belongs to the program and runs here. If it is captured, it
// belongs to the graph.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return failed(cudaErrorInvalidValue);
  bool captured = false;
  const cudaError_t code =
      remote(ApiFunction::cudaLaunchHostFunc, CALLER, arguments(stream, function, data), &captured);
  if (code == cudaSuccess && !captured) function(data);
  return code;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return remote(ApiFunction::cudaFuncGetAttributes, CALLER, arguments(kernel), attributes);
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  return remote(ApiFunction::cudaFuncSetAttribute, CALLER, arguments(kernel, which, value));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared) {
  return remote(ApiFunction::cudaOccupancyMaxActiveBlocksPerMultiprocessor, CALLER,
                arguments(kernel, threads, shared), blocks);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                   int threads, std::size_t shared,
                                                                   unsigned) {
  return remote(ApiFunction::cudaOccupancyMaxActiveBlocksPerMultiprocessor, CALLER,
                arguments(kernel, threads, shared), blocks);
}

}  // extern "C"
#pragma GCC visibility pop
