// Zero-initialised memory for an array of shadow words. Pages that are never written take no memory. Large
// arrays use huge pages: kernels that access memory at random access its shadow words at random too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::emulator {

class ZeroPageArena {
 public:
  explicit ZeroPageArena(std::size_t bytes);  // throws std::bad_alloc
  ~ZeroPageArena();
  ZeroPageArena(const ZeroPageArena&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(at_);
  }

 private:
  void* at_ = nullptr;
  std::size_t mapped_ = 0;  // bytes; 0: of the heap
};

}  // namespace warpgrade::emulator
