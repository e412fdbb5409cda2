// Findings, counters and traces as JSON lines; the grader's harness.py reads them.
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "findings/fault.hpp"
#include "machine/launch.hpp"
#include "machine/observers.hpp"
#include "machine/trace.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/kernel_names.hpp"
#include "symbols/shared_variables.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Dim3& at) { return Json::array({at.x, at.y, at.z}); }

// The keys of a place are the same for both sides of a finding.
void put_place(Json& to, const Site& site) {
  to["file"] = site.file;
  to["line"] = site.line;
  to["column"] = site.column;
  to["source"] = site.source;
  if (site.call != nullptr) to["call"] = call_site(site.call);
}

// Block and thread; neither of a line of the host's code.
void put_thread(Json& to, const Site& site) {
  to["block"] = site.by_host ? Json::array() : json_of(site.block);
  to["thread"] = site.by_host ? Json::array() : json_of(site.thread);
}

Json side(const Site& site) {
  Json out;
  put_place(out, site);
  put_thread(out, site);
  out["access"] = site.access;
  return out;
}

Json memory(const Memory& at) {
  if (at.space.empty()) return nullptr;
  Json out = {{"space", at.space},
              {"address", hex(at.address)},
              {"bytes", at.bytes},
              {"allocation", at.allocation},
              {"allocation_bytes", at.allocation_bytes},
              {"distance", at.distance},
              {"relation", name(at.relation)}};
  if (!at.made_at.empty()) out["made_at"] = at.made_at;
  if (!at.words.empty()) out["words"] = at.words;
  if (at.larger_bytes != 0) out["larger_bytes"] = at.larger_bytes;
  if (at.pointer.empty()) return out;
  out["pointer"] = at.pointer;
  out["pointer_bytes"] = at.pointer_bytes;
  out["from_pointer"] = at.from_pointer;
  return out;
}

Json ranges(const std::vector<WrittenBytes>& all) {
  Json out = Json::array();
  for (const WrittenBytes& each : all) out.push_back({each.offset, each.bytes});
  return out;
}

Json standing(const std::vector<ThreadPosition>& all) {
  Json out = Json::array();
  for (const ThreadPosition& each : all)
    out.push_back({{"warp", each.warp},
                   {"lanes", hex(each.lanes, 8)},
                   {"file", each.site.file},
                   {"line", each.site.line},
                   {"source", each.site.source},
                   {"state", each.state}});
  return out;
}

int ptx_line(const Program& program, std::uint32_t instruction) {
  const ptx::Instruction* at = program.origin(instruction).ptx;
  return at != nullptr ? at->place.line : 0;
}

Json access_sites(const Program& program, const Counters& counters) {
  Json out = Json::array();
  for (const auto& [instruction, site] : counters.sites) {
    const SourcePlace place = place_of(program, instruction);
    out.push_back({{"file", place.file},
                   {"line", place.line},
                   {"ptx_line", ptx_line(program, instruction)},
                   {"kind", access_name(program, instruction)},
                   {"executions", site.executions},
                   {"lanes", site.lanes},
                   {"lines", site.lines},
                   {"sectors", site.sectors},
                   {"ideal_sectors", site.ideal_sectors},
                   {"wavefronts", site.wavefronts},
                   {"ideal_wavefronts", site.ideal_wavefronts},
                   {"divergent", site.divergent},
                   {"allocation", site.allocation},
                   {"sampled", site.sampled},
                   {"missed", site.missed}});
  }
  return out;
}

Json basic_blocks(const Program& program, const Counters& counters) {
  Json out = Json::array();
  for (const auto& [first, executions] : counters.blocks)
    out.push_back(Json::array({ptx_line(program, first), executions}));
  return out;
}

Json footprint(const Footprint& of) {
  return {{"kind", name(of.kind)},
          {"allocation", of.allocation},
          {"allocation_bytes", of.allocation_bytes},
          {"blocks", of.blocks},
          {"requests", of.requests},
          {"bytes", of.bytes},
          {"sectors", of.sectors},
          {"lines", of.lines},
          {"passes", of.passes},
          {"missed_sectors", of.missed_sectors},
          {"joined_sectors", of.joined_sectors},
          {"warp_sectors", of.warp_sectors},
          {"block_sectors", of.block_sectors},
          {"pair_sectors", of.pair_sectors},
          {"launch_sectors", of.launch_sectors},
          {"launch_lines", of.launch_lines},
          {"reach_lines", of.reach_lines},
          {"block_reach_lines", of.block_reach_lines},
          {"on_a_word", of.on_a_word}};
}

std::string kind_name(const TraceEvent& event) {
  constexpr const char* verbs[] = {" load", " store", " atomic"};
  if (event.kind == TraceEvent::Kind::barrier) return "barrier";
  return space_name(event.space) + std::string(verbs[static_cast<int>(event.kind)]);
}

Json addresses(const TraceEvent& event) {
  Json out = Json::array();
  if (event.kind == TraceEvent::Kind::barrier) return out;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((event.mask >> lane & 1u) != 0)
      out.push_back(hex(event.address[lane]));
    else
      out.push_back(nullptr);
  }
  return out;
}

Json parameters(const LaunchRequest& request) {
  Json out = Json::array();
  for (const Parameter& each : request.kernel->parameters) {
    std::uint64_t value = 0;
    if (each.bytes <= sizeof value && each.offset + each.bytes <= request.parameters.size()) {
      std::memcpy(&value, request.parameters.data() + each.offset,
                  each.bytes);  // little-endian, as the device
      out.push_back(hex(value));
    } else {
      out.push_back(nullptr);
    }
  }
  return out;
}

Json shared_arrays(const KernelInfo& kernel) {
  Json out = Json::array();
  for (const SharedVariable& each : kernel.shared)
    out.push_back({{"name", short_name(each.name)}, {"offset", each.offset}, {"bytes", each.bytes}});
  return out;
}

// A source line may hold any bytes; what is not UTF-8 is replaced.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const Finding& finding, const std::string& label, std::uint64_t launch,
                    const std::string& kernel) {
  Json out;
  out["label"] = label;
  out["launch"] = launch;
  out["kernel"] = kernel;
  if (const std::string plain = names_of_kernel(kernel).plain; plain != kernel) out["function"] = plain;
  out["check"] = check_name(finding.kind);
  out["kind"] = name(finding.kind);
  out["code"] = code(finding.kind);
  out["severity"] = severity(finding.kind);
  out["message"] = finding.message;
  put_place(out, finding.site);
  out["inlined_at"] = finding.site.inlined_at;
  put_thread(out, finding.site);
  out["access"] = finding.site.access;
  out["other"] = finding.has_other ? side(finding.other) : Json(nullptr);
  if (finding.is_update) out["update"] = true;
  if (finding.is_idle_loop) out["cause"] = "idle-loop";
  if (finding.is_of_block_order) out["cause"] = "block-order";
  if (finding.is_torn) out["cause"] = "torn-words";
  if (finding.is_early) out["cause"] = "early-read";
  if (finding.is_over_results) out["cause"] = "over-results";
  if (finding.has_writer) out["writer"] = side(finding.writer);
  if (finding.has_left) out["left"] = side(finding.left);
  if (finding.written) out["written"] = ranges(*finding.written);
  out["memory"] = memory(finding.memory);
  out["standing"] = standing(finding.standing);
  out["times"] = finding.times;
  out["lanes"] = finding.lanes;
  out["help"] = help(finding.kind);
  return dump(out);
}

std::string to_json(const RepeatedFinding& repeated) {
  Json out;
  out["label"] = repeated.label;
  out["kernel"] = repeated.kernel;
  out["kind"] = name(repeated.kind);
  out["code"] = code(repeated.kind);
  put_place(out, repeated.site);
  out["repeated"] = repeated.launches;
  out["times"] = repeated.times;
  return dump(out);
}

std::string to_json(const Counters& counters, const std::string& label, std::uint64_t launch,
                    const LaunchRequest& request) {
  Json values;
  for (int i = 0; i < static_cast<int>(Metric::count_); ++i)
    values[name(static_cast<Metric>(i))] = counters.value[i];
  const Program& program = *request.kernel->program;
  Json footprints = Json::array();
  for (const Footprint& each : counters.footprints) footprints.push_back(footprint(each));
  const MachineWidths widths = program.widths_from(*request.kernel);
  const Json merged = {name(Metric::shared_load_instructions), name(Metric::shared_load_wavefronts),
                       name(Metric::shared_store_instructions), name(Metric::shared_store_wavefronts)};
  return dump({{"label", label},
               {"launch", launch},
               {"kernel", request.kernel->name},
               {"grid", json_of(request.grid)},
               {"block", json_of(request.block)},
               {"dynamic_shared", request.dynamic_shared},
               {"argument_bytes", counters.argument_bytes},
               {"counters", values},
               {"from_cubin", widths == MachineWidths::cubin ? merged : Json::array()},
               {"from_cubin_in_part", widths == MachineWidths::cubin_in_part ? merged : Json::array()},
               {"footprints", footprints},
               {"blocks", basic_blocks(program, counters)},
               {"sites", access_sites(program, counters)}});
}

std::string to_json(const TraceEvent& event, const std::string& label, std::uint64_t launch,
                    const KernelInfo& kernel) {
  const SourcePlace place = place_of(*kernel.program, event.instruction);
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
  return dump(out);
}

std::string to_json(const LaunchRequest& request, const std::vector<TracedArray>& arrays,
                    const std::string& label, std::uint64_t launch) {
  Json out;
  out["label"] = label;
  out["launch"] = launch;
  out["kernel"] = request.kernel->name;
  out["kind"] = "launch";
  out["grid"] = {request.grid.x, request.grid.y, request.grid.z};
  out["block"] = {request.block.x, request.block.y, request.block.z};
  out["parameters"] = parameters(request);
  out["shared"] = shared_arrays(*request.kernel);
  out["arrays"] = Json::array();
  for (const TracedArray& each : arrays)
    out["arrays"].push_back({{"name", each.name}, {"address", hex(each.address)}, {"bytes", each.bytes}});
  return dump(out);
}

}  // namespace warpgrade::emulator
