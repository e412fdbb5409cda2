// Host memory that is copied to and from a device.
#pragma once
#include <cstddef>
#include <span>

namespace warpgrade::harness {

// The bytes of an allocation on the device. On a GPU, large images are page-locked: the copy engine reads and
// writes them directly, at the rate of the bus instead of a memcpy's. The emulator needs none of that.
class HostImage {
 public:
  HostImage() = default;
  ~HostImage();
  HostImage(const HostImage&) = delete;
  HostImage& operator=(const HostImage&) = delete;

  // Memory for this many bytes; its content is lost only if the size changes. Throws CudaError, bad_alloc.
  std::span<std::byte> resize(std::size_t bytes);
  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  void release();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_page_locked_ = false;
};

}  // namespace warpgrade::harness
