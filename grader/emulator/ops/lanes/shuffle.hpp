// shfl.sync. PTX ISA 9.7.9.6. Built once for each vector width.
#pragma once

#include "ops/collective.hpp"

namespace warpgrade::emulator {

enum class Shuffle { up, down, butterfly, index };

// `complete` and `whole` of CollectiveOps.
struct ShuffleOps {
  void (*complete)(Warp& warp, const Instruction* at, const Exchange& exchange);
  bool (*whole)(Warp& warp, const Instruction* at);
};
#define WARPGRADE_VARIANT(lanes)        \
  namespace lanes {                     \
  ShuffleOps shuffle_ops(Shuffle mode); \
  }
WARPGRADE_VARIANT(lanes_v1)
#ifndef WARPGRADE_ONLY_V1
WARPGRADE_VARIANT(lanes_v3)
WARPGRADE_VARIANT(lanes_v4)
#endif
#undef WARPGRADE_VARIANT

}  // namespace warpgrade::emulator
