#include "launches/kernel.hpp"

#include <algorithm>
#include <vector>

#include "base/cuda_check.hpp"
#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

bool is_missing(cudaError_t error) {
  return error == cudaErrorSymbolNotFound || error == cudaErrorInvalidDeviceFunction;
}

// Whether this error means that a block needs more resources than an SM has.
bool is_too_much(cudaError_t error) {
  return error == cudaErrorLaunchOutOfResources || error == cudaErrorInvalidConfiguration ||
         error == cudaErrorInvalidValue;
}

// The numbers of a `__constant__ int name[…]`; empty if the file has no such symbol.
std::vector<int> numbers_of(cudaLibrary_t library, const std::string& name) {
  void* address = nullptr;
  std::size_t bytes = 0;
  const cudaError_t found = cudaLibraryGetGlobal(&address, &bytes, library, name.c_str());
  if (is_missing(found)) return {};
  check(found, "looking for the launch shape");
  std::vector<int> numbers(bytes / sizeof(int));
  check(cudaMemcpy(numbers.data(), address, numbers.size() * sizeof(int), cudaMemcpyDeviceToHost),
        "reading the launch shape");
  return numbers;
}

// The numbers of the kernel itself (namespace launch_numbers::<kernel>), or else those of the file.
std::vector<int> numbers_for(cudaLibrary_t library, const std::string& name, const std::string& kernel) {
  const auto sized = [](const std::string& part) { return std::to_string(part.size()) + part; };
  const std::string mangled = "_ZN" + sized("launch_numbers") + sized(kernel) + sized(name) + "E";
  const std::vector<int> own = numbers_of(library, mangled);
  return own.empty() ? numbers_of(library, "launch_" + name) : own;
}

LaunchShape read_shape(cudaLibrary_t library, const std::string& kernel) {
  const std::vector<int> numbers = numbers_for(library, "shape", kernel);
  if (numbers.size() != 2 && numbers.size() != 4 && numbers.size() != 6)
    throw ImpossibleLaunch("The file does not say how to launch " + kernel +
                           ": LAUNCH_SHAPE_1D(threads, elements), LAUNCH_SHAPE_3D or, in two dimensions, "
                           "LAUNCH_SHAPE(threads x, threads y, columns, rows) is missing.");
  LaunchShape shape = launch_shape_of(kernel, numbers);
  const std::vector<int> blocks = numbers_for(library, "blocks", kernel);
  if (!blocks.empty()) shape.blocks = blocks[0];
  const std::vector<int> shared = numbers_for(library, "shared_bytes", kernel);
  if (!shared.empty()) shape.shared_bytes = shared[0];
  require_possible(shape);
  return shape;
}

}  // namespace

Kernel::Kernel(cudaLibrary_t library, const std::string& name) : name_(name) {
  const cudaError_t found = cudaLibraryGetKernel(&function_, library, name_.c_str());
  if (is_missing(found))
    throw KernelMissing("The file has no kernel called " + name_ +
                        ". It must be declared extern \"C\" __global__ void " + name_ + "(…).");
  check(found, "looking for the kernel " + name_);
  shape_ = read_shape(library, name);
}

void Kernel::start(dim3 grid, std::vector<void*> arguments) const {
  constexpr std::size_t most_parameters = 1024;  // parameters of 4 bytes, in the 4 KiB that every GPU takes
  static std::byte zeros[4096];
  arguments.resize(arguments.size() + most_parameters, zeros);
  constexpr int default_shared_bytes = 48 << 10;  // more must be asked for
  const dim3 block = shape_.block();
  const void* function = reinterpret_cast<const void*>(function_);
  const auto shared = static_cast<std::size_t>(shape_.shared_bytes);
  cudaError_t started = cudaSuccess;
  if (shape_.shared_bytes > default_shared_bytes)
    started =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shape_.shared_bytes);
  if (started == cudaSuccess)
    started = cudaLaunchKernel(function, grid, block, arguments.data(), shared, nullptr);
  if (is_too_much(started)) {
    cudaGetLastError();  // clears the error, which is not sticky: the next case may launch
    const std::string depth = shape_.rank == 3 ? "×" + std::to_string(block.z) : "";
    const std::string size =
        std::to_string(block.x) + (shape_.rank == 1 ? "" : "×" + std::to_string(block.y));
    throw ImpossibleLaunch("Blocks of " + size + depth + " threads cannot be launched (" +
                           cudaGetErrorName(started) +
                           "): they need more registers or shared memory than there is.");
  }
  check(started, "launching the kernel");
}

std::int64_t Kernel::resident_blocks() const {
  int sms = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "asking for the number of SMs");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(function_),
                                                      shape_.threads_of_block(),
                                                      static_cast<std::size_t>(shape_.shared_bytes)),
        "asking how many blocks of " + name_ + " an SM holds");
  return std::max<std::int64_t>(1, std::int64_t{sms} * blocks);
}

}  // namespace warpgrade::harness
