// Bytes that the compiler loads but the program does not use.
#pragma once

#include <cstdint>

#include "machine/observers.hpp"

namespace warpgrade::emulator {

// The bytes of a lane's access that the program uses, one bit each. nvcc merges neighbouring loads into a
// wider one and names the bytes that the program reads: .pragma "used_bytes_mask".
inline std::uint64_t used_bytes(const Access& access) {
  const Program* program = access.warp->block->program;
  if (program == nullptr) return ~std::uint64_t{0};
  const ptx::Instruction* ptx = program->origin(access.at->index).ptx;
  return ptx == nullptr || ptx->used_bytes_mask == 0 ? ~std::uint64_t{0} : ptx->used_bytes_mask;
}

}  // namespace warpgrade::emulator
