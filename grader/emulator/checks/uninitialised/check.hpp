// Reads of memory that nothing has written.
#pragma once

#include <cstdint>
#include <vector>

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

 private:
  std::vector<std::uint8_t> written_;  // a bit for each byte
  std::uint32_t missing_ = 0;  // bytes that are still unwritten; 0 in most kernels after their first tile
};

// The check of global memory, with the bits in Allocation::written. An access to several allocations is
// checked lane by lane.
void check_global_init(const Access& access);
// Marks a byte to which an undefined value was stored.
void mark_global_undefined(DeviceMemory& memory, std::uint64_t address);

}  // namespace warpgrade::emulator
