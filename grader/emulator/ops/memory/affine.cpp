#include "ops/memory/affine.hpp"

#include <string_view>

#include "isa/variant.hpp"
#include "ops/memory/lanes/affine_variants.hpp"

namespace warpgrade::emulator {

Handler shaped_access(const ShapedAccess& access, Watch watch) {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::shaped_access(access, watch);
  if (variant == "v3") return lanes_v3::shaped_access(access, watch);
#endif
  return lanes_v1::shaped_access(access, watch);
}

Handler look_at_addresses(bool wide) {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::look_at_addresses(wide);
  if (variant == "v3") return lanes_v3::look_at_addresses(wide);
#endif
  return lanes_v1::look_at_addresses(wide);
}

}  // namespace warpgrade::emulator
