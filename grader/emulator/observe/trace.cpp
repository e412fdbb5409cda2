#include "observe/trace.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "exec/launch.hpp"
#include "observe/fault.hpp"
#include "observe/observers.hpp"
#include "observe/shared_variables.hpp"
#include "observe/sites.hpp"

namespace warpgrade::observe {
namespace {

using Json = nlohmann::ordered_json;

std::string kind_name(const TraceEvent& event) {
  constexpr const char* verbs[] = {" load", " store", " atomic"};
  if (event.kind == TraceEvent::Kind::barrier) return "barrier";
  return space_name(event.space) + std::string(verbs[static_cast<int>(event.kind)]);
}

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

Json addresses(const TraceEvent& event) {
  Json out = Json::array();
  if (event.kind == TraceEvent::Kind::barrier) return out;
  for (int lane = 0; lane < exec::kWarpSize; ++lane) {
    if ((event.mask >> lane & 1u) != 0)
      out.push_back(hexadecimal(event.address[lane]));
    else
      out.push_back(nullptr);
  }
  return out;
}

Json parameters(const exec::LaunchRequest& request) {
  Json out = Json::array();
  for (const exec::Parameter& each : request.kernel->parameters) {
    std::uint64_t value = 0;
    if (each.bytes <= sizeof value && each.offset + each.bytes <= request.parameters.size()) {
      std::memcpy(&value, request.parameters.data() + each.offset,
                  each.bytes);  // little-endian, as the device
      out.push_back(hexadecimal(value));
    } else {
      out.push_back(nullptr);
    }
  }
  return out;
}

Json shared_arrays(const exec::Kernel& kernel) {
  Json out = Json::array();
  for (const exec::SharedVariable& each : kernel.shared)
    out.push_back({{"name", short_name(each.name)}, {"offset", each.offset}, {"bytes", each.bytes}});
  return out;
}

std::string dumped(const Json& out) { return out.dump(-1, ' ', false, Json::error_handler_t::replace); }

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
  return dumped(out);
}

std::string to_json(const exec::LaunchRequest& request, const std::string& label, std::uint64_t launch) {
  Json out;
  out["label"] = label;
  out["launch"] = launch;
  out["kernel"] = request.kernel->name;
  out["kind"] = "launch";
  out["grid"] = {request.grid.x, request.grid.y, request.grid.z};
  out["block"] = {request.block.x, request.block.y, request.block.z};
  out["parameters"] = parameters(request);
  out["shared"] = shared_arrays(*request.kernel);
  return dumped(out);
}

}  // namespace warpgrade::observe
