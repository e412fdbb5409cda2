#include "machine/shadow_handle.hpp"

#include <memory>

#include "checks/global_race/shadow_pages.hpp"

namespace warpgrade::emulator {

RaceSlot::~RaceSlot() { reset(); }

void RaceSlot::reset() { delete shadow_.exchange(nullptr); }

RaceShadow& RaceSlot::make(std::size_t bytes) {
  auto fresh = std::make_unique<RaceShadow>(bytes);
  RaceShadow* known = nullptr;
  // Whoever comes second takes the first's.
  if (shadow_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *known;
}

}  // namespace warpgrade::emulator
