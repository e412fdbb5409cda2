// The builds of lanes/affine.cpp.
#pragma once

#include "isa/each_variant.hpp"
#include "ops/memory/affine.hpp"

namespace warpgrade::emulator {

WARPGRADE_DECLARE_LANES(Handler affine_access_handler(const AffineAccess& access, Observation observation);
                        Handler address_pattern_handler(bool wide);)

}  // namespace warpgrade::emulator
