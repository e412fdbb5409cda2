#include "device/kept_addresses.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "base/cuda_check.hpp"

namespace warpgrade::harness {
namespace {

KeptAddresses* current = nullptr;

}  // namespace

KeptAddresses::KeptAddresses() { current = this; }

// An error here was reported by the call that caused it.
KeptAddresses::~KeptAddresses() {
  current = nullptr;
  for (const Left& each : left_) cudaFree(each.memory);
}

std::byte* KeptAddresses::take(const std::string& name, std::size_t bytes) {
  if (current) {
    std::vector<Left>& left = current->left_;
    const auto found = std::find_if(
        left.begin(), left.end(), [&](const Left& each) { return each.name == name && each.bytes == bytes; });
    if (found != left.end()) {
      std::byte* memory = found->memory;
      left.erase(found);
      return memory;
    }
  }
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating " + name);
  return static_cast<std::byte*>(memory);
}

void KeptAddresses::leave(const std::string& name, std::size_t bytes, std::byte* memory) {
  if (current)
    current->left_.push_back({name, bytes, memory});
  else
    cudaFree(memory);
}

}  // namespace warpgrade::harness
