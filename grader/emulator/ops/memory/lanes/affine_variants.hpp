// The builds of lanes/affine_access_handler.cpp.
#pragma once

#include "ops/memory/affine.hpp"

namespace warpgrade::emulator {

#define WARPGRADE_VARIANT(lanes)                                                \
  namespace lanes {                                                             \
  Handler affine_access_handler(const AffineAccess& access, Observation watch); \
  Handler address_pattern_handler(bool wide);                                   \
  }
WARPGRADE_VARIANT(lanes_v1)
#ifndef WARPGRADE_ONLY_V1
WARPGRADE_VARIANT(lanes_v3)
WARPGRADE_VARIANT(lanes_v4)
#endif
#undef WARPGRADE_VARIANT

}  // namespace warpgrade::emulator
