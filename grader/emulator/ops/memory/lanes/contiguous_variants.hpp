// The builds of lanes/contiguous.cpp, and the general handlers that they fall back to.
#pragma once

#include "ops/memory/contiguous.hpp"

namespace warpgrade::emulator {

#define WARPGRADE_VARIANT(lanes)                                                           \
  namespace lanes {                                                                        \
  Handler contiguous_access(const ContiguousAccess& access, bool is_store, bool observed); \
  }
WARPGRADE_VARIANT(lanes_v1)
#ifndef WARPGRADE_ONLY_V1
WARPGRADE_VARIANT(lanes_v3)
WARPGRADE_VARIANT(lanes_v4)
#endif
#undef WARPGRADE_VARIANT

// general_load and general_store for elements of 4 and 8 bytes in registers of the same width.
template <unsigned Bytes, bool Observed>
const Instruction* general_load_of(Warp& warp, const Instruction* at);
template <unsigned Bytes, bool Observed>
const Instruction* general_store_of(Warp& warp, const Instruction* at);

}  // namespace warpgrade::emulator
