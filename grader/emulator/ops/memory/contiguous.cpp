// Picks the build of lanes/contiguous.cpp for this machine.
#include "isa/variant.hpp"
#include "ops/memory/lanes/contiguous_variants.hpp"

namespace warpgrade::emulator {
namespace {

bool has_contiguous_path(const ContiguousAccess& access) {
  const ElementShape& shape = access.shape;
  const bool element = shape.bytes == shape.register_bytes &&
                       ((shape.bytes == 4 && access.vector <= 4) || (shape.bytes == 8 && access.vector <= 2));
  const bool place =
      access.space == ptx::Space::shared || (access.space == ptx::Space::global && access.wide_address);
  return element && place && !access.ordered && !access.has_sink;
}

Handler contiguous_access(const ContiguousAccess& access, bool is_store, bool observed) {
  if (!has_contiguous_path(access)) return nullptr;
  return WARPGRADE_CHOOSE_LANES(contiguous_access)(access, is_store, observed);
}

}  // namespace

Handler contiguous_load(const ContiguousAccess& access, bool observed) {
  return contiguous_access(access, false, observed);
}
Handler contiguous_store(const ContiguousAccess& access, bool observed) {
  return contiguous_access(access, true, observed);
}

}  // namespace warpgrade::emulator
