#include "device/host_image.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#include "base/emulator.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t large = 1 << 20;  // page-locking takes longer than what it saves for less

}  // namespace

HostImage::~HostImage() { release(); }

std::span<std::byte> HostImage::resize(std::size_t size) {
  if (size == size_) return bytes();
  release();
  is_page_locked_ = size >= large && !emulator::present();
  if (is_page_locked_) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, size), "allocating page-locked host memory");
    data_ = static_cast<std::byte*>(memory);
  } else {
    data_ = new std::byte[size];
  }
  size_ = size;
  return bytes();
}

void HostImage::release() {
  if (is_page_locked_)
    cudaFreeHost(data_);
  else
    delete[] data_;
  data_ = nullptr;
  size_ = 0;
}

}  // namespace warpgrade::harness
