#include "ops/memory/affine.hpp"

#include <string_view>

#include "isa/variant.hpp"
#include "ops/memory/lanes/affine_variants.hpp"

namespace warpgrade::emulator {

Handler affine_access_handler(const AffineAccess& access, Observation watch) {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::affine_access_handler(access, watch);
  if (variant == "v3") return lanes_v3::affine_access_handler(access, watch);
#endif
  return lanes_v1::affine_access_handler(access, watch);
}

Handler address_pattern_handler(bool wide) {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::address_pattern_handler(wide);
  if (variant == "v3") return lanes_v3::address_pattern_handler(wide);
#endif
  return lanes_v1::address_pattern_handler(wide);
}

}  // namespace warpgrade::emulator
