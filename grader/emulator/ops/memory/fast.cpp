// Picks the build of lanes/contiguous.cpp for this machine.
#include <string_view>

#include "isa/variant.hpp"
#include "ops/memory/lanes/contiguous_variants.hpp"

namespace warpgrade::emulator {
namespace {

bool has_fast_path(const FastAccess& access) {
  const ElementShape& shape = access.shape;
  const bool element = shape.bytes == shape.register_bytes &&
                       ((shape.bytes == 4 && access.vector <= 4) || (shape.bytes == 8 && access.vector <= 2));
  const bool place =
      access.space == ptx::Space::shared || (access.space == ptx::Space::global && access.wide_address);
  return element && place && !access.ordered && !access.has_sink;
}

Handler fast_access(const FastAccess& access, bool is_store, bool observed) {
  if (!has_fast_path(access)) return nullptr;
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::fast_access(access, is_store, observed);
  if (variant == "v3") return lanes_v3::fast_access(access, is_store, observed);
#endif
  return lanes_v1::fast_access(access, is_store, observed);
}

}  // namespace

Handler fast_load(const FastAccess& access, bool observed) { return fast_access(access, false, observed); }
Handler fast_store(const FastAccess& access, bool observed) { return fast_access(access, true, observed); }

}  // namespace warpgrade::emulator
