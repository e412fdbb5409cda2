// Bytes that the compiler loads but the program does not use.
#pragma once

#include <cstdint>

#include "machine/observers.hpp"

namespace warpgrade::emulator {

// One bit for each byte of a lane's access. nvcc merges neighbouring loads into a wider one, and says which
// bytes of it the program asked for: .pragma "used_bytes_mask". The program does not read the others.
inline std::uint64_t used_bytes(const Access& access) {
  const Program* program = access.warp->block->program;
  if (program == nullptr) return ~std::uint64_t{0};
  const ptx::Instruction* ptx = program->origin(access.at->index).ptx;
  return ptx == nullptr || ptx->used_bytes_mask == 0 ? ~std::uint64_t{0} : ptx->used_bytes_mask;
}

}  // namespace warpgrade::emulator
