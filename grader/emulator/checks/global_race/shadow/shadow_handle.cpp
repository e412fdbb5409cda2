#include "machine/memory/shadow_handle.hpp"

#include <memory>

#include "checks/global_race/shadow/shadow_pages.hpp"

namespace warpgrade::emulator {

ShadowHandle::~ShadowHandle() { reset(); }

void ShadowHandle::reset() { delete shadow_.exchange(nullptr); }

ShadowPages& ShadowHandle::make(std::size_t bytes) {
  auto fresh = std::make_unique<ShadowPages>(bytes);
  ShadowPages* known = nullptr;
  // The second thread uses the handle of the first.
  if (shadow_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *known;
}

}  // namespace warpgrade::emulator
