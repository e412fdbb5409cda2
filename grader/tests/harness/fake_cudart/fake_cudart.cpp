#include "fake_cudart.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace {

using fake_cudart::Behaviour;
using fake_cudart::Launch;

struct Library {
  std::string kernel;
  bool has_shape = false;
  int shape[4] = {};
  Behaviour does;
};

struct State {
  cudaError_t stuck = cudaSuccess;
  cudaError_t refusal = cudaSuccess;
  std::set<void*> memory;
  double clock = 0;  // milliseconds
  bool busy = false;
  int held_threads = 2048;  // of an SM
  std::map<std::string, Behaviour> taught;
};

void multiply(const Launch& launch) {
  for (int row = 0; row < launch.m; ++row)
    for (int column = 0; column < launch.n; ++column) {
      float sum = 0;
      for (int i = 0; i < launch.k; ++i)
        sum += launch.A[row * launch.k + i] * launch.B[i * launch.n + column];
      launch.C[row * launch.n + column] = sum;
    }
}

State& state() {
  static State one{cudaSuccess, cudaSuccess, {}, 0, false, 2048, {{"right", multiply}}};
  return one;
}

bool parse(const std::string& text, Library& library) {
  std::istringstream words(text);
  for (std::string key; words >> key;) {
    if (key == "kernel") {
      words >> library.kernel;
    } else if (key == "shape") {
      library.has_shape = true;
      for (int& number : library.shape) words >> number;
    } else if (key == "does") {
      std::string name;
      words >> name;
      library.does = state().taught.at(name);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

namespace fake_cudart {

void teach(const std::string& name, Behaviour behaviour) { state().taught[name] = std::move(behaviour); }
void stick(int error) { state().stuck = static_cast<cudaError_t>(error); }
void hold_threads(int of_an_sm) { state().held_threads = of_an_sm; }
void refuse_next_launch(int error) { state().refusal = static_cast<cudaError_t>(error); }
void spend(float milliseconds) { state().clock += milliseconds; }
bool busy() { return state().busy; }
void reset() {
  state().stuck = state().refusal = cudaSuccess;
  state().held_threads = 2048;
}
int allocations() { return static_cast<int>(state().memory.size()); }

std::filesystem::path write_kernel(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text << '\0';  // the runtime learns no size
  return file;
}

std::string tiled_kernel(const std::string& does) {
  return "kernel matmul_tiled shape 16 16 16 16 does " + does;
}

}  // namespace fake_cudart

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorInvalidPtx:
      return "cudaErrorInvalidPtx";
    case cudaErrorLaunchOutOfResources:
      return "cudaErrorLaunchOutOfResources";
    case cudaErrorSymbolNotFound:
      return "cudaErrorSymbolNotFound";
    default:
      return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t) { return "words of the runtime"; }
cudaError_t cudaGetLastError() { return state().stuck; }
cudaError_t cudaDeviceSynchronize() {
  state().busy = false;
  return state().stuck;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (state().stuck) return state().stuck;
  *memory = std::malloc(bytes);
  state().memory.insert(*memory);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (state().memory.erase(memory)) std::free(memory);
  return state().stuck;
}

cudaError_t cudaMallocHost(void** memory, size_t bytes) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaSetDeviceFlags(unsigned) { return state().stuck; }

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (!state().stuck) std::memcpy(to, from, bytes);
  return state().stuck;
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  if (!state().stuck) std::memset(memory, value, bytes);
  state().busy = true;
  return state().stuck;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  if (state().stuck) return state().stuck;
  Library* mine = new Library;
  if (!parse(static_cast<const char*>(code), *mine)) {
    delete mine;
    return cudaErrorInvalidPtx;
  }
  *library = reinterpret_cast<cudaLibrary_t>(mine);
  return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  delete reinterpret_cast<Library*>(library);
  return state().stuck;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  *kernel = reinterpret_cast<cudaKernel_t>(library);
  return reinterpret_cast<Library*>(library)->kernel == name ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  Library& mine = *reinterpret_cast<Library*>(library);
  if (!mine.has_shape || std::strcmp(name, "launch_shape") != 0) return cudaErrorSymbolNotFound;
  *address = mine.shape;
  *bytes = sizeof mine.shape;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void** arguments, size_t, cudaStream_t) {
  if (state().stuck) return state().stuck;
  if (const cudaError_t refusal = std::exchange(state().refusal, cudaSuccess)) return refusal;
  const auto pointer = [&](int i) { return *static_cast<float**>(arguments[i]); };
  const auto number = [&](int i) { return *static_cast<int*>(arguments[i]); };
  const auto real = [&](int i) { return *static_cast<float*>(arguments[i]); };
  static_cast<const Library*>(function)->does(
      {pointer(0), pointer(1), pointer(2), number(3), number(4), number(5), real(6), real(7)});
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return state().stuck; }

cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "a fake");
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads, size_t) {
  return *blocks = state().held_threads / threads, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 4096, cudaSuccess; }

// An event holds the time of its record.
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<double*>(event) = state().clock;
  return state().stuck;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  *milliseconds = static_cast<float>(*reinterpret_cast<double*>(stop) - *reinterpret_cast<double*>(start));
  return state().stuck;
}

}  // extern "C"
