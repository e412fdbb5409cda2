#include "machine/trace.hpp"

#include <utility>

#include "machine/launch.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

void Trace::access(const Access& access) {
  if (events_.size() >= kMost) return;
  TraceEvent& event = events_.emplace_back();
  event.instruction = access.at->index;
  event.warp = access.warp->index;
  event.space = access.space;
  event.kind = static_cast<TraceEvent::Kind>(access.kind);
  event.bytes = access.bytes;
  event.mask = access.mask;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((access.mask >> lane & 1u) != 0) event.address[lane] = access.of(lane);
}

void Trace::barrier(std::uint32_t instruction) {
  if (events_.size() >= kMost) return;
  TraceEvent& event = events_.emplace_back();
  event.instruction = instruction;
  event.kind = TraceEvent::Kind::barrier;
}

std::vector<TraceEvent> Trace::take() { return std::exchange(events_, {}); }

}  // namespace warpgrade::emulator
