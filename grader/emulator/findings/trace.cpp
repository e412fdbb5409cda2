#include "machine/trace.hpp"

#include <utility>

#include "machine/launch.hpp"
#include "machine/memory/device_memory.hpp"
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

std::vector<TracedArray> traced_arrays(const DeviceMemory& memory) {
  std::vector<TracedArray> arrays;
  for (const Allocation* each : memory.live()) {
    const bool plain = each->kind == Allocation::Kind::device || each->kind == Allocation::Kind::managed;
    if (plain && !each->name.empty())
      arrays.push_back({each->name, each->open_begin, each->open_end - each->open_begin});
  }
  return arrays;
}

}  // namespace warpgrade::emulator
