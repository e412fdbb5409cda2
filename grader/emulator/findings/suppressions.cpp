#include "findings/suppressions.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "symbols/kernel_names.hpp"

namespace warpgrade::emulator {
namespace {

constexpr const char* kShape =
    "KIND FUNCTION FILE[:LINE[-LINE]] REASON, such as: WG113 mark* bfs.cu:40-44 all "
    "threads write the same level";

constexpr FindingKind kKinds[] = {
#define KIND(id, code, name, check, severity, help) FindingKind::id,
#include "machine/finding_kinds.def"
#undef KIND
};

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw SuppressionError(place + ": " + why);
}

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool is_kind(const std::string& pattern, FindingKind kind) {
  return fits(pattern, code(kind)) || fits(pattern, name(kind));
}

bool is_function(const std::string& pattern, const std::string& kernel) {
  const KernelNames names = names_of_kernel(kernel);
  return fits(pattern, kernel) || fits(pattern, names.signature) || fits(pattern, names.bare);
}

bool is_place(const Suppression& rule, const Site& site) {
  const bool any_line = rule.first == 0;
  if (!any_line && (site.line < rule.first || site.line > rule.last)) return false;
  const bool is_path = rule.file.find('/') != std::string::npos;
  return fits(rule.file, is_path ? site.file : site.file.substr(site.file.rfind('/') + 1));
}

// "40" or "40-44".
void read_lines(Suppression& rule, std::string_view text) {
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, rule.first);
  rule.last = rule.first;
  if (error == std::errc() && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, rule.last);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc() || at != end || rule.first < 1 || rule.last < rule.first)
    refuse(rule.place,
           "'" + std::string(text) + "' is no line and no range of lines; write FILE:40 or FILE:40-44");
}

Suppression read_rule(const std::string& line, const std::string& place) {
  std::istringstream words(line);
  Suppression rule;
  rule.place = place;
  words >> rule.kind >> rule.function >> rule.file;
  std::getline(words >> std::ws, rule.reason);
  if (rule.reason.empty())
    refuse(place, std::string("a rule has four parts, the last says why; write ") + kShape);
  if (std::none_of(std::begin(kKinds), std::end(kKinds),
                   [&](FindingKind each) { return is_kind(rule.kind, each); }))
    refuse(place, "there is no kind of finding '" + rule.kind +
                      "'; write a code such as WG114, its name such as global-race, or *");
  if (const std::size_t colon = rule.file.rfind(':'); colon != std::string::npos) {
    read_lines(rule, std::string_view(rule.file).substr(colon + 1));
    rule.file.erase(colon);
  }
  return rule;
}

}  // namespace

bool Suppression::matches(const Finding& finding, const std::string& in_kernel) const {
  return is_kind(kind, finding.kind) && is_function(function, in_kernel) &&
         (is_place(*this, finding.site) || (finding.has_other && is_place(*this, finding.other)));
}

std::vector<Suppression> read_suppressions(std::istream& in, const std::string& name) {
  std::vector<Suppression> rules;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    rules.push_back(read_rule(line, name + ":" + std::to_string(number)));
  }
  return rules;
}

std::vector<Suppression> read_suppressions(const std::string& path) {
  std::ifstream in(path);
  // A folder can be opened, but not read.
  if (!in || (in.peek() == EOF && in.bad()))
    refuse(path, "cannot be read; name a text file with a rule a line: " + std::string(kShape));
  return read_suppressions(in, path);
}

std::string to_text(const Suppression& used) {
  const std::string count =
      used.findings == 1 ? "one finding is" : std::to_string(used.findings) + " findings are";
  const std::string seen =
      used.times > used.findings ? " (seen " + std::to_string(used.times) + " times)" : "";
  return "warpgrade: " + count + " suppressed by " + used.place + seen + ": " + used.reason + "\n";
}

std::string to_json(const Suppression& used) {
  const nlohmann::ordered_json out = {
      {"suppressed", used.findings}, {"times", used.times}, {"rule", used.place},   {"kind", used.kind},
      {"function", used.function},   {"file", used.file},   {"reason", used.reason}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace warpgrade::emulator
