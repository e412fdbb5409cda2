#include "launches/kernels.hpp"

#include <fstream>
#include <iterator>

#include "base/cuda_check.hpp"
#include "base/errors.hpp"

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

// The launch shape of the last kernel whose launch covered as many elements in each dimension; null if none.
const LaunchShape* last_that_covered(const std::deque<Kernel>& kernels, const Shape& array) {
  const std::size_t rank = array.size();
  if (rank > 3) return nullptr;
  const auto extent = [&](std::size_t from_last) {
    return from_last < rank ? array[rank - 1 - from_last] : 1;
  };
  const LaunchShape* found = nullptr;
  for (const Kernel& kernel : kernels) {
    const auto& covered = kernel.covered();
    if (covered && !kernel.shape().blocks && covered->x == extent(0) && covered->y == extent(1) &&
        covered->z == extent(2))
      found = &kernel.shape();
  }
  return found;
}

}  // namespace

Kernels::Kernels(const std::filesystem::path& fat_binary, const std::vector<std::string>& names)
    : names_(names) {
  const std::vector<char> image = contents(fat_binary);
  check(cudaLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "loading the compiled kernel");
  try {
    for (const std::string& name : names) kernels_.emplace_back(library_, name);
  } catch (...) {
    cudaLibraryUnload(library_);  // a constructor that throws runs no destructor
    throw;
  }
}

Kernels::~Kernels() {
  if (library_) cudaLibraryUnload(library_);
}

const Kernel& Kernels::operator[](const std::string& name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return kernels_[i];
  throw DataError("the lab's launch names a kernel '" + name + "', which its lab.toml does not list");
}

const Kernel& Kernels::only() const {
  if (kernels_.size() != 1) throw DataError("the lab has several kernels; its launch must name one");
  return kernels_.front();
}

void Kernels::set(const std::string& name, const void* from, std::size_t bytes) const {
  void* address = nullptr;
  std::size_t size = 0;
  if (cudaLibraryGetGlobal(&address, &size, library_, name.c_str()) != cudaSuccess || size < bytes) {
    cudaGetLastError();  // what is missing is the file's, not the runtime's
    throw ImpossibleLaunch(
        "The file has no variable " + name + " of " + std::to_string(bytes) +
        " bytes, which the program sets before it launches the kernel. It must be declared " +
        "extern \"C\", as in the file that you got.");
  }
  check(cudaMemcpy(address, from, bytes, cudaMemcpyDefault), "copying to the variable");
}

Coverage Kernels::coverage_of(const Shape& array) const {
  constexpr std::int64_t widest_vector = 4;
  if (const LaunchShape* shape = last_that_covered(kernels_, array)) return shape;
  if (array.size() < 2 || array.back() < 2 || array.back() > widest_vector) return {};
  const LaunchShape* shape = last_that_covered(kernels_, {array.begin(), array.end() - 1});
  return {shape, shape ? array.back() : 1};
}

}  // namespace warpgrade::harness
