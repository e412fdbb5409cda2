#include "observe/trace.hpp"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "observe/fault.hpp"
#include "observe/observers.hpp"
#include "observe/sites.hpp"

namespace warpgrade::observe {
namespace {

using Json = nlohmann::ordered_json;

std::string kind_name(const TraceEvent& event) {
  constexpr const char* verbs[] = {" load", " store", " atomic"};
  if (event.kind == TraceEvent::Kind::barrier) return "barrier";
  return space_name(event.space) + std::string(verbs[static_cast<int>(event.kind)]);
}

Json addresses(const TraceEvent& event) {
  Json out = Json::array();
  if (event.kind == TraceEvent::Kind::barrier) return out;
  for (int lane = 0; lane < exec::kWarpSize; ++lane) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, event.address[lane]);
    if ((event.mask >> lane & 1u) != 0)
      out.push_back(text);
    else
      out.push_back(nullptr);
  }
  return out;
}

}  // namespace

void Trace::access(const Access& access) {
  if (events_.size() >= kMost) return;
  TraceEvent& event = events_.emplace_back();
  event.instruction = access.at->index;
  event.warp = access.warp->index;
  event.space = access.space;
  event.kind = static_cast<TraceEvent::Kind>(access.kind);
  event.bytes = access.bytes;
  event.mask = access.mask;
  for (unsigned lane = 0; lane < exec::kWarpSize; ++lane)
    if ((access.mask >> lane & 1u) != 0) event.address[lane] = access.of(lane);
}

void Trace::barrier(std::uint32_t instruction) {
  if (events_.size() >= kMost) return;
  TraceEvent& event = events_.emplace_back();
  event.instruction = instruction;
  event.kind = TraceEvent::Kind::barrier;
}

std::vector<TraceEvent> Trace::take() { return std::exchange(events_, {}); }

std::string to_json(const TraceEvent& event, const std::string& label, std::uint64_t launch,
                    const exec::Kernel& kernel) {
  const Place place = place_of(*kernel.program, event.instruction);
  Json out;
  out["label"] = label;
  out["launch"] = launch;
  out["kernel"] = kernel.name;
  out["warp"] = event.kind == TraceEvent::Kind::barrier ? Json(nullptr) : Json(event.warp);
  out["file"] = place.file;
  out["line"] = place.line;
  out["kind"] = kind_name(event);
  out["bytes"] = event.bytes;
  out["addresses"] = addresses(event);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpgrade::observe
