// The builds of lanes/contiguous.cpp, and the general handlers that they fall back to.
#pragma once

#include "isa/each_variant.hpp"
#include "ops/memory/contiguous.hpp"

namespace warpgrade::emulator {

WARPGRADE_DECLARE_LANES(Handler contiguous_access(const ContiguousAccess& access, bool is_store,
                                                  bool observed);)

// general_load and general_store for elements of 4 and 8 bytes in registers of the same width.
template <unsigned Bytes, bool Observed>
const DecodedInstruction* general_load_of(Warp& warp, const DecodedInstruction* at);
template <unsigned Bytes, bool Observed>
const DecodedInstruction* general_store_of(Warp& warp, const DecodedInstruction* at);

}  // namespace warpgrade::emulator
