// Room for records that are all zero at first, side by side, and that take memory only where they are
// written: in large pages where there are many, since records of what is touched at random are found at
// random.
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
