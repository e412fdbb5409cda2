// The loads and stores that kernels spend their time on: 32-bit elements, alone or as vectors, in shared or
// global memory. Each has a path for the common patterns of a full warp, and leaves everything else,
// faults included, to memory_ops_general.
#pragma once

#include "ops/memory/general.hpp"
#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct FastAccess {
  ptx::Space space = ptx::Space::global;
  bool wide_address = true;
  ElementShape shape;
  int vector = 1;
  bool ordered = false;   // volatile or strong
  bool has_sink = false;  // an element that goes nowhere
};

// For this machine's vector width. Null where there is no fast path.
Handler fast_load(const FastAccess& access, bool observed);
Handler fast_store(const FastAccess& access, bool observed);

}  // namespace warpgrade::emulator
