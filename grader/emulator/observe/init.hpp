// Reads of memory that nothing has written.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/observers.hpp"

namespace warpgrade::observe {

// Lanes that read bytes which nothing had written.
struct UnwrittenRead {
  Access access;                  // without what it points to: that may have gone on
  exec::Warp warp;                // as it was when it read
  std::uint32_t instruction = 0;  // Instruction::index
  std::uint32_t lanes = 0;        // a mask
  std::uint64_t address[exec::kWarpSize] = {};
};

// Of one block's shared memory. A finding is made at the next barrier: where the bytes raced until then, the
// race is what is wrong.
class SharedInit {
 public:
  void block_begin(const exec::Block& block);
  void access(const Access& access);
  void block_barrier(const exec::Block& block);       // and at the block's end
  bool is_complete() const { return missing_ == 0; }  // everything has been written

 private:
  std::vector<UnwrittenRead> waiting_;
  std::vector<std::uint8_t> written_;  // a bit for each byte
  std::uint32_t missing_ = 0;          // bytes without; most kernels have none left after their first tile
};

// Of global memory: Allocation::written. An access in several allocations is looked at lane by lane.
void check_global_init(const Access& access);

}  // namespace warpgrade::observe
