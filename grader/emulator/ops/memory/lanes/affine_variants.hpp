// The builds of lanes/shaped_access.cpp.
#pragma once

#include "ops/memory/affine.hpp"

namespace warpgrade::emulator {

#define WARPGRADE_VARIANT(lanes)                                  \
  namespace lanes {                                               \
  Handler shaped_access(const ShapedAccess& access, Watch watch); \
  Handler look_at_addresses(bool wide);                           \
  }
WARPGRADE_VARIANT(lanes_v1)
#ifndef WARPGRADE_ONLY_V1
WARPGRADE_VARIANT(lanes_v3)
WARPGRADE_VARIANT(lanes_v4)
#endif
#undef WARPGRADE_VARIANT

}  // namespace warpgrade::emulator
