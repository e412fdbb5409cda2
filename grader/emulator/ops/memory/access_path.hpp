// The implementation, one of three, to which an access to memory was decoded: docs/memory-access-paths.md.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

enum class AccessPath : std::uint8_t { none, general, contiguous, affine };
const char* name(AccessPath path);

// `none` if the instruction is not a load or store, or if its code was decoded with observers or counters.
AccessPath access_path(const DecodedInstruction& at);

}  // namespace warpgrade::emulator
