#include "emu_json.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "analysis/similarity/terms.hpp"
#include "fatbin/machine_code.hpp"
#include "issue/schedule.hpp"
#include "ptx/parser/parser.hpp"
#include "ptx/parser/summary.hpp"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

Json instruction(const std::optional<ptx::FoundInstruction>& found) {
  if (!found) return nullptr;
  return {{"form", found->form}, {"line", found->line}};
}

Json summary(const std::string& text) {
  const ptx::Summary found = ptx::summarize(text);
  Json kernels = Json::object();
  for (const ptx::KernelSignature& kernel : found.kernels) kernels[kernel.name] = kernel.parameters;
  const std::optional<std::string> changed = ptx::without_long_comments(text);
  return {{"kernels", kernels},
          {"global_bytes", found.global_bytes},
          {"tensor", instruction(found.tensor)},
          {"texture", instruction(found.texture)},
          {"opcodes", found.opcodes},
          {"has_preprocessor_line", found.has_preprocessor_line},
          {"without_long_comments", changed ? Json(*changed) : Json(nullptr)}};
}

Json locations(const std::string& text) {
  const ptx::SourceLocations found = ptx::source_locations(text);
  Json files = Json::object(), locs = Json::array();
  for (const auto& [number, name] : found.files) files[std::to_string(number)] = name;
  for (const ptx::LocDirective& loc : found.locs) locs.push_back({loc.ptx_line, loc.file, loc.line});
  return {{"files", std::move(files)}, {"locs", std::move(locs)}};
}

// The first PTX text in a fat binary that is not compressed.
std::string_view packed_text(std::string_view fatbin) {
  const std::size_t at = fatbin.find(".version");
  const std::string_view from = at == fatbin.npos ? fatbin : fatbin.substr(at);
  return from.substr(0, from.find('\0'));
}

Json resources(std::string_view cubin) {
  Json kernels = Json::object();
  for (const fatbin::MachineKernel& each : fatbin::read_resources(cubin))
    kernels[each.name] = {{"registers", each.registers}, {"shared_bytes", each.shared_bytes}};
  return kernels;
}

// `others`: the PTX text that was assembled, and the cubin that ptxas made of it, if there is one.
Json packed(std::string_view fatbin, const std::vector<std::string>& others) {
  const std::string text = read_file(others[0]);
  return {{"same_ptx", ptx::same_tokens(text, packed_text(fatbin))},
          {"resources", others.size() > 1 ? resources(read_file(others[1])) : Json::object()},
          {"summary", summary(text)}};
}

Json machine_code(std::string_view program, int wanted) {
  Json kernels = Json::object();
  for (const std::string_view cubin : fatbin::find_cubins(program, wanted))
    for (const fatbin::MachineKernel& each : fatbin::read_machine_code(cubin)) {
      if (kernels.contains(each.name)) continue;
      Json rows = Json::array();
      for (const fatbin::MachineInstruction& at : each.instructions)
        rows.push_back({at.kind, at.bytes, at.conflict_cycles, at.stall, at.sets, at.waits, at.target,
                        at.line, at.floating, at.guarded, at.fetches, at.kept});
      kernels[each.name] = {{"registers", each.registers},
                            {"shared_bytes", each.shared_bytes},
                            {"instructions", std::move(rows)}};
    }
  return {{"callers", ptx::summarize(packed_text(program)).callers}, {"kernels", std::move(kernels)}};
}

// null where the PTX is not one that the emulator reads.
Json terms(std::string_view text) try {
  Json rows = Json::array();
  for (const auto& [term, lines] : emulator::terms_of(ptx::parse(text))) rows.push_back({term, lines});
  return rows;
} catch (const ptx::ParseError&) {
  return nullptr;
}

Json fingerprint(const std::string& path) {
  const std::string bytes = read_file(path);
  const std::string_view text = packed_text(bytes);
  return {{"code", ptx::code_hash(text)}, {"terms", terms(text)}};
}

Json fingerprints(const std::string& first, const std::vector<std::string>& others) {
  Json rows = Json::array({fingerprint(first)});
  for (const std::string& path : others) rows.push_back(fingerprint(path));
  return rows;
}

issue::WarpTrace trace_of(const Json& job) {
  issue::WarpTrace found{{}, job.at("order")};
  for (const Json& row : job.at("instructions")) {
    const int unit = row.at(0);
    if (unit < 0 || unit >= static_cast<int>(issue::Unit::kCount))
      throw std::runtime_error("there is no unit " + std::to_string(unit));
    found.instructions.push_back({static_cast<issue::Unit>(unit), row.at(1), row.at(2), row.at(3), row.at(4),
                                  row.at(5), row.at(6), row.at(7), row.at(8)});
  }
  return found;
}

// Of each of the job's sequences of blocks: perfmodel/issue.py writes the job and reads what this returns.
Json schedules(std::string_view text) {
  const Json job = Json::parse(text);
  const issue::WarpTrace trace = trace_of(job);
  const Json& timing = job.at("timing");
  Json rows = Json::array();
  for (const Json& each : job.at("sequences")) {
    const issue::Schedule found =
        issue::schedule(trace, {timing.at(0), timing.at(1), timing.at(2), timing.at(3), timing.at(4)},
                        {each.at(0), each.at(1), each.at(2), each.at(3), each.at(4), each.at(5), each.at(6)});
    rows.push_back({{"starts", found.starts}, {"ends", found.ends}});
  }
  return rows;
}

int architecture(const std::string& name) {
  if (name.starts_with("sm_") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == name.npos)
    return std::stoi(name.substr(3));
  throw std::runtime_error(name + " is not an architecture such as sm_90");
}

void print(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

bool dump_json(const std::string& file, const std::string& what, const std::vector<std::string>& words) {
  constexpr std::string_view kArchitecture = "--arch=";
  if (what == "summary" && words.empty()) {
    print(summary(read_file(file)));
  } else if (what == "locations" && words.empty()) {
    print(locations(read_file(file)));
  } else if (what == "packed" && (words.size() == 1 || words.size() == 2)) {
    print(packed(read_file(file), words));
  } else if (what == "fingerprints") {
    print(fingerprints(file, words));
  } else if (what == "schedules" && words.empty()) {
    print(schedules(read_file(file)));
  } else if (what == "machine-code" && words.size() == 1 && words[0].starts_with(kArchitecture)) {
    print(machine_code(read_file(file), architecture(words[0].substr(kArchitecture.size()))));
  } else {
    return false;
  }
  return true;
}

}  // namespace warpgrade
