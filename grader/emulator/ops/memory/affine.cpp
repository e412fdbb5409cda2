#include "ops/memory/affine.hpp"

#include "isa/variant.hpp"
#include "ops/memory/lanes/affine_variants.hpp"

namespace warpgrade::emulator {

Handler affine_access_handler(const AffineAccess& access, Observation observation) {
  return WARPGRADE_CHOOSE_LANES(affine_access_handler)(access, observation);
}

Handler address_pattern_handler(bool wide) { return WARPGRADE_CHOOSE_LANES(address_pattern_handler)(wide); }

}  // namespace warpgrade::emulator
