// The contiguous implementation of loads and stores: 32- and 64-bit elements, alone or as vectors, in shared or
// global memory. It classifies the addresses of each half of a warp and leaves everything else, faults included,
// to general.hpp. See docs/memory-access-paths.md.
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
