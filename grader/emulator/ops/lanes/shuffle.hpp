// shfl.sync. PTX ISA 9.7.9.6. Built once for each vector width.
#pragma once

#include "isa/each_variant.hpp"
#include "ops/collective.hpp"

namespace warpgrade::emulator {

enum class Shuffle { up, down, butterfly, index };

// `complete` and `whole` of CollectiveOps.
struct ShuffleOps {
  void (*complete)(Warp& warp, const DecodedInstruction* at, const Exchange& exchange);
  bool (*whole)(Warp& warp, const DecodedInstruction* at);
};
WARPGRADE_DECLARE_LANES(ShuffleOps shuffle_ops(Shuffle mode);)

}  // namespace warpgrade::emulator
