// Owner of an allocation's ShadowPages. The first access that the race check sees creates them; blocks on
// several workers may do so at the same time.
#pragma once

#include <atomic>
#include <cstddef>

namespace warpgrade::emulator {

class ShadowPages;

class ShadowHandle {
 public:
  ShadowHandle() = default;
  ~ShadowHandle();
  ShadowHandle(const ShadowHandle&) = delete;

  ShadowPages* get() const { return shadow_.load(std::memory_order_acquire); }
  ShadowPages& of(std::size_t bytes) {  // for an allocation of that many bytes
    ShadowPages* const known = get();
    return known != nullptr ? *known : make(bytes);
  }
  void reset();  // while no kernel runs

 private:
  ShadowPages& make(std::size_t bytes);

  std::atomic<ShadowPages*> shadow_{nullptr};
};

}  // namespace warpgrade::emulator
