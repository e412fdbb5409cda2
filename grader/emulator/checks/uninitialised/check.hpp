// Reads of memory that nothing has written.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/uninitialised/first_writers.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// Definedness of one block's shared memory. Throws ShadowRestart if the shadow interpreter must follow a
// value.
class SharedDefinedness {
 public:
  void block_begin(const Block& block);
  void access(const Access& access);
  void mark_undefined(std::uint64_t offset);          // an undefined value was stored to the byte
  bool is_complete() const { return missing_ == 0; }  // everything has been written
  const FirstWriters& writers() const { return writers_; }

 private:
  std::vector<std::uint8_t> written_;  // a bit for each byte
  FirstWriters writers_;
  std::uint32_t missing_ = 0;  // bytes that are still unwritten; 0 in most kernels after their first tile
};

// Definedness of the local memory of one block's threads.
class LocalDefinedness {
 public:
  // An access to local memory. `own`: bytes of the kernel's variables, for each thread.
  void access(const Access& access, std::uint32_t own);

 private:
  std::vector<std::uint8_t> written_;  // a bit for each byte, by warp and lane; empty until the first access
};

// The check of global memory, with the bits in Allocation::written. An access to several allocations is
// checked lane by lane.
void check_global_init(const Access& access);
// Marks a byte to which an undefined value was stored.
void mark_global_undefined(DeviceMemory& memory, std::uint64_t address);

}  // namespace warpgrade::emulator
