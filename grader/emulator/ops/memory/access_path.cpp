#include "ops/memory/access_path.hpp"

#include <set>

#include "ops/control.hpp"
#include "ops/memory/affine.hpp"
#include "ops/memory/contiguous.hpp"
#include "ops/memory/general.hpp"

namespace warpgrade::emulator {
namespace {

struct Handlers {
  std::set<Handler> general, contiguous, affine;

  Handlers() {
    for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) add_general(bytes);
    for (const unsigned bytes : {4u, 8u})
      for (const int vector : {1, 2, 4})
        for (const bool wide : {false, true})
          for (const ptx::Space space : {ptx::Space::shared, ptx::Space::global})
            add_fast(space, wide, bytes, vector);
  }

  void add_general(std::uint32_t bytes) {
    for (const std::uint32_t register_bytes : {2u, 4u, 8u, 16u})
      for (const bool sign : {false, true}) {
        general.insert(general_load({bytes, register_bytes, sign}, false));
        general.insert(general_store({bytes, register_bytes, sign}, false));
      }
  }

  void add_fast(ptx::Space space, bool wide, unsigned bytes, int vector) {
    ContiguousAccess access{.space = space, .wide_address = wide, .shape = {bytes, bytes}, .vector = vector};
    contiguous.insert(contiguous_load(access, false));
    contiguous.insert(contiguous_store(access, false));
    for (const bool is_store : {false, true})
      affine.insert(affine_access_handler({space, wide, is_store, bytes, vector}, Observation::none));
  }
};

}  // namespace

const char* name(AccessPath path) {
  switch (path) {
    case AccessPath::general:
      return "general";
    case AccessPath::contiguous:
      return "contiguous";
    case AccessPath::affine:
      return "affine";
    default:
      return "";
  }
}

AccessPath access_path(const DecodedInstruction& at) {
  static const auto& handlers = *new const Handlers;
  const bool guarded = at.handler == control::guarded || at.handler == control::guarded_not;
  const Handler handler = guarded ? at.body : at.handler;
  if (handler == nullptr) return AccessPath::none;
  if (handlers.affine.contains(handler)) return AccessPath::affine;
  if (handlers.contiguous.contains(handler)) return AccessPath::contiguous;
  return handlers.general.contains(handler) ? AccessPath::general : AccessPath::none;
}

}  // namespace warpgrade::emulator
