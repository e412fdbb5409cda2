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

Kernels::~Kernels() { cudaLibraryUnload(library_); }

const Kernel& Kernels::operator[](const std::string& name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return kernels_[i];
  throw DataError("the lab's launch names a kernel '" + name + "', which its lab.toml does not list");
}

const Kernel& Kernels::only() const {
  if (kernels_.size() != 1) throw DataError("the lab has several kernels; its launch must name one");
  return kernels_.front();
}

const LaunchShape* Kernels::shape_for(const Shape& array) const {
  const std::size_t rank = array.size();
  if (rank > 3) return nullptr;
  const auto extent = [&](std::size_t from_last) {
    return from_last < rank ? array[rank - 1 - from_last] : 1;
  };
  const LaunchShape* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    const auto& covered = kernel.covered();
    if (covered && !kernel.shape().blocks && covered->x == extent(0) && covered->y == extent(1) &&
        covered->z == extent(2))
      found = &kernel.shape();
  }
  return found;
}

}  // namespace warpgrade::harness
