// The contiguous implementation of loads and stores: 32- and 64-bit elements, alone or as vectors, in shared
// or global memory. It classifies the addresses of each half of a warp and leaves everything else, faults
// included, to general.hpp. See docs/memory-access-paths.md.
#pragma once

#include "ops/memory/general.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct ContiguousAccess {
  ptx::Space space = ptx::Space::global;
  bool wide_address = true;
  ElementShape shape;
  int vector = 1;
  bool ordered = false;   // volatile or strong
  bool has_sink = false;  // an element whose destination is a sink
};

// Handlers for this machine's vector width. Null if there is no fast path.
Handler contiguous_load(const ContiguousAccess& access, bool observed);
Handler contiguous_store(const ContiguousAccess& access, bool observed);

}  // namespace warpgrade::emulator
