#include "kernel.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include "cuda_check.hpp"
#include "errors.hpp"

namespace warpgrade::harness {
namespace {

std::vector<char> contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || bytes.empty())
    throw UsageError("the fat binary " + file.string() + (in.is_open() ? " is empty" : " cannot be read") +
                     ". Compile a kernel with nvcc -fatbin and name the result");
  return bytes;
}

bool is_missing(cudaError_t error) {
  return error == cudaErrorSymbolNotFound || error == cudaErrorInvalidDeviceFunction;
}

// Whether this error means that a block needs more resources than an SM has.
bool is_too_much(cudaError_t error) {
  return error == cudaErrorLaunchOutOfResources || error == cudaErrorInvalidConfiguration ||
         error == cudaErrorInvalidValue;
}

}  // namespace

Kernel::Kernel(const std::filesystem::path& fat_binary, const std::string& name) : name_(name) {
  const std::vector<char> image = contents(fat_binary);
  check(cudaLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "loading the compiled kernel");
  try {
    find_function();
    read_shape();
  } catch (...) {
    cudaLibraryUnload(library_);  // a constructor that throws runs no destructor
    throw;
  }
}

Kernel::~Kernel() { cudaLibraryUnload(library_); }

void Kernel::find_function() {
  const cudaError_t found = cudaLibraryGetKernel(&function_, library_, name_.c_str());
  if (is_missing(found))
    throw KernelMissing("The file has no kernel called " + name_ +
                        ". It must be declared extern \"C\" __global__ void " + name_ + "(…).");
  check(found, "looking for the kernel " + name_);
}

void Kernel::read_shape() {
  void* address = nullptr;
  std::size_t bytes = 0;
  const cudaError_t found = cudaLibraryGetGlobal(&address, &bytes, library_, "launch_shape");
  if (is_missing(found) || (found == cudaSuccess && bytes != sizeof shape_))
    throw ImpossibleLaunch(
        "The file does not say how to launch its kernel: LAUNCH_SHAPE(threads x, threads y, columns, rows) "
        "is missing.");
  check(found, "looking for the launch shape");
  static_assert(sizeof shape_ == 4 * sizeof(int), "copied as LAUNCH_SHAPE wrote it");
  check(cudaMemcpy(&shape_, address, sizeof shape_, cudaMemcpyDeviceToHost), "reading the launch shape");
  require_possible(shape_);
}

void Kernel::launch(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                    float beta) const {
  void* arguments[] = {&A, &B, &C,     &m,
                       &n, &k, &alpha, &beta};  // the runtime reads as many as the kernel has parameters
  const dim3 block = shape_.block();
  const cudaError_t started = cudaLaunchKernel(reinterpret_cast<const void*>(function_), shape_.grid(m, n),
                                               block, arguments, 0, nullptr);
  if (is_too_much(started)) {
    cudaGetLastError();  // not sticky: the next case may try again
    throw ImpossibleLaunch("Blocks of " + std::to_string(block.x) + "×" + std::to_string(block.y) +
                           " threads cannot be launched (" + cudaGetErrorName(started) +
                           "): they need more registers or shared memory than there is.");
  }
  check(started, "launching the kernel");
}

}  // namespace warpgrade::harness
