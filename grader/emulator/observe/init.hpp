// Reads of memory that nothing has written.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/observers.hpp"

namespace warpgrade::observe {

// Of one block's shared memory.
class SharedInit {
 public:
  void block_begin(const exec::Block& block);
  void access(const Access& access);

 private:
  std::vector<std::uint8_t> written_;  // a bit for each byte
  std::uint32_t missing_ = 0;          // bytes without; most kernels have none left after their first tile
};

// Of global memory: Allocation::written. An access in several allocations is looked at lane by lane.
void check_global_init(const Access& access);

}  // namespace warpgrade::observe
