#include "order/finding.hpp"

#include "findings/fault.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/host_lines.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

using Kind = StreamOperation::Kind;

std::string verb(const StreamOperation& of, bool writes) {
  return of.kind == Kind::allocation ? "allocates"
         : of.kind == Kind::release  ? "frees"
         : writes                    ? "writes"
                                     : "reads";
}

std::string who(const StreamOperation& of) {
  return of.stream.empty() ? of.name : of.name + " in " + of.stream;
}

std::string waiter(const StreamOperation& of) { return of.stream.empty() ? "the host" : of.stream; }

FindingKind kind_of(const StreamConflict& conflict) {
  const StreamOperation &first = *conflict.first, &second = *conflict.second;
  if (first.kind != Kind::work || second.kind != Kind::work) return FindingKind::stream_ordered_memory;
  return first.graph != 0 && first.graph == second.graph ? FindingKind::graph_race : FindingKind::stream_race;
}

// Why the operations are unordered, and where to add an order.
std::string remedy(const StreamConflict& conflict) {
  const StreamOperation &first = *conflict.first, &second = *conflict.second;
  if (kind_of(conflict) == FindingKind::graph_race) return "no edge of the graph leads from one to the other";
  if (first.stream == second.stream)
    return "the launch lets it begin before that has ended, and it does not call "
           "cudaGridDependencySynchronize()";
  if (first.stream.empty())
    return "nothing makes " + waiter(first) + " wait for " + second.stream + " before it";
  return "nothing makes " + waiter(second) + " wait for " + first.stream;
}

// If the lines are unknown, the message names the calls.
std::string calls(const Finding& finding, const StreamConflict& conflict) {
  if (finding.site.line > 0 && finding.other.line > 0) return {};
  std::string out;
  for (const void* each : {conflict.second->call, conflict.first->call})
    if (each != nullptr) out += (out.empty() ? " (called at " : " and ") + call_site(each);
  return out.empty() ? out : out + ")";
}

}  // namespace

std::string words_of(AddressRange bytes, const DeviceMemory& memory) {
  const Memory at = describe_global(memory, bytes.begin, static_cast<std::uint32_t>(bytes.end - bytes.begin));
  const std::string range =
      bytes.end - bytes.begin == 1
          ? "byte " + std::to_string(at.distance)
          : "bytes " + std::to_string(at.distance) + " to " +
                std::to_string(at.distance + static_cast<std::int64_t>(bytes.end - bytes.begin) - 1);
  return at.allocation.empty() ? range : range + " of " + at.allocation;
}

Site host_site(const void* call, const std::string& access) {
  Site site;
  site.by_host = true;
  site.access = access;
  if (call == nullptr) return site;
  if (calls_are_remote()) site.call = call;
  const HostLine line = host_line(call);
  site.file = line.file;
  site.line = line.line;
  site.source = source_line(line.file, line.line);
  return site;
}

Finding finding_of(const StreamConflict& conflict, const DeviceMemory& memory) {
  const StreamOperation &first = *conflict.first, &second = *conflict.second;
  const std::string first_verb = verb(first, conflict.first_writes),
                    second_verb = verb(second, conflict.second_writes);
  Finding finding;
  finding.kind = kind_of(conflict);
  finding.on_device = false;
  finding.site = host_site(second.call, who(second) + " " + second_verb);
  finding.has_other = true;
  finding.other = host_site(first.call, who(first) + " " + first_verb);
  finding.memory = describe_global(memory, conflict.bytes.begin, 0);
  finding.message = who(second) + " " + second_verb + " " + words_of(conflict.bytes, memory) + ", which " +
                    who(first) + " " + first_verb + ": " + remedy(conflict);
  finding.message += calls(finding, conflict);
  return finding;
}

std::optional<Finding> early_access(const StreamOperation& operation, const HostAccess& access,
                                    const DeviceMemory& memory) {
  const AddressRange range{access.address, access.address + access.bytes};
  auto bytes = operation.touched.written.overlap(range);
  const bool operation_writes = bytes.has_value();
  if (!bytes && access.write) bytes = operation.touched.read.overlap(range);
  if (!bytes) return {};
  const std::string verb = access.seen_later ? "wrote" : access.write ? "writes" : "reads";
  const std::string its = operation_writes ? "writes" : "reads";
  const StreamOperation* function = access.function.get();
  const std::string reader = function == nullptr ? "the host" : who(*function);
  Finding finding;
  finding.kind = FindingKind::early_host_access;
  finding.on_device = false;
  finding.site = host_site(access.call, reader + " " + verb + (access.seen_later ? " before this call" : ""));
  finding.has_other = true;
  finding.other = host_site(operation.call, who(operation) + " " + its);
  finding.memory = describe_global(memory, bytes->begin, 0);
  finding.message =
      reader + " " + verb + " " + words_of(*bytes, memory) + ", which " + who(operation) + " " + its + ": " +
      (function == nullptr ? "the host has not waited for that"
                           : "nothing makes " + waiter(*function) + " wait for " + operation.stream);
  if (function == nullptr && !operation.fences_for_host && !operation.touched.written_strongly.empty())
    finding.message += ", and a flag that is set without __threadfence_system() before it tells nothing";
  if (finding.site.line == 0 || finding.other.line == 0)
    finding.message += " (at " + call_site(access.call) + " and " + call_site(operation.call) + ")";
  return finding;
}

}  // namespace warpgrade::emulator
