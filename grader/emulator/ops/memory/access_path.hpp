// Which of the three implementations an access to memory was decoded to: docs/memory-access-paths.md.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

enum class AccessPath : std::uint8_t { none, general, contiguous, affine };
const char* name(AccessPath path);

// `none` for an instruction that is neither a load nor a store of code that nothing observes.
AccessPath access_path(const DecodedInstruction& at);

}  // namespace warpgrade::emulator
