#include "cudart/runtime/reporter.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "findings/format_text.hpp"
#include "machine/observers.hpp"

namespace warpgrade::cudart {
namespace {

int open_for_append(const char* variable, const std::string& path) {
  if (path.empty()) return -1;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    throw ConfigError(std::string(variable) + "=" + path + " cannot be written: " + std::strerror(errno));
  return file;
}

// Writes a line and the lines that belong to it by one system call, so that a process that dies leaves only
// whole lines.
void append(int file, std::string_view line, std::string_view more = {}) {
  while (!line.empty() || !more.empty()) {
    const iovec parts[] = {{const_cast<char*>(line.data()), line.size()},
                           {const_cast<char*>(more.data()), more.size()}};
    const ssize_t put = writev(file, parts, 2);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    const std::size_t of_line = std::min(static_cast<std::size_t>(put), line.size());
    line.remove_prefix(of_line);
    more.remove_prefix(static_cast<std::size_t>(put) - of_line);
  }
}

// https://no-color.org: any value that is not empty.
bool wants_colour() {
  const char* no = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) == 1 && (no == nullptr || *no == '\0');
}

}  // namespace

Reporter::Reporter(const Config& config)
    : suppressions_(config.suppressions),
      findings_(open_for_append("WARPGRADE_FINDINGS", config.findings)),
      counters_(open_for_append("WARPGRADE_COUNTERS", config.counters)),
      trace_(open_for_append("WARPGRADE_TRACE", config.trace)),
      record_(open_for_append("WARPGRADE_RECORD", config.record)),
      colour_(wants_colour()) {}

Reporter::~Reporter() {
  finish();
  if (findings_ >= 0) close(findings_);
  if (counters_ >= 0) close(counters_);
  if (trace_ >= 0) close(trace_);
  if (record_ >= 0) close(record_);
}

void Reporter::found(const emulator::Finding& finding, const std::string& kernel) {
  if (is_suppressed(finding, kernel)) return;
  const auto [at, is_new] =
      reported_.try_emplace(place_of(finding, kernel), Repeated{finding.site, launches_});
  if (is_new) return write(finding, kernel);
  ++at->second.launches;
  at->second.times += finding.times;
}

// A call of the host in a loop repeats line and message.
Reporter::Place Reporter::place_of(const emulator::Finding& finding, const std::string& kernel) const {
  std::string line = finding.site.file + ":" + std::to_string(finding.site.line);
  if (!finding.on_device) line += ": " + finding.message;
  return {label_, kernel, finding.kind, finding.site.instruction, finding.other.instruction, std::move(line)};
}

// The first rule that fits.
bool Reporter::is_suppressed(const emulator::Finding& finding, const std::string& kernel) {
  for (emulator::Suppression& each : suppressions_) {
    if (!each.matches(finding, kernel)) continue;
    if (!finding.on_device || suppressed_.insert(place_of(finding, kernel)).second) ++each.findings;
    each.times += finding.times;
    return true;
  }
  return false;
}

void Reporter::write(const emulator::Finding& finding, const std::string& kernel) {
  if (findings_ >= 0)
    append(findings_, emulator::to_json(finding, label_, launches_, kernel) + "\n");
  else
    append(STDERR_FILENO, emulator::to_text(finding, kernel, colour_));
}

// A loop that launches a kernel until it converges shows the same findings in each launch. Those of one
// launch are merged already.
bool Reporter::is_repeated(const emulator::Finding& finding, const std::string& kernel) {
  const auto [at, is_new] =
      reported_.try_emplace(place_of(finding, kernel), Repeated{finding.site, launches_});
  if (is_new || at->second.first == launches_) return false;
  ++at->second.launches;
  at->second.times += finding.times;
  return true;
}

void Reporter::finish() {
  finish_suppressions();
  std::uint64_t all = 0;
  for (auto& [key, repeated] : reported_) {
    if (repeated.launches == 0) continue;
    all += repeated.launches;
    const auto& [label, kernel, kind, instruction, other, line] = key;
    if (findings_ >= 0)
      append(findings_, emulator::to_json(emulator::RepeatedFinding{label, kernel, kind, repeated.site,
                                                                    repeated.launches, repeated.times}) +
                            "\n");
    repeated.launches = repeated.times = 0;
  }
  if (all != 0 && findings_ < 0)
    append(STDERR_FILENO,
           "warpgrade: " + std::to_string(all) +
               " findings of later launches and calls at places that were shown above are left out\n");
}

void Reporter::finish_suppressions() {
  for (emulator::Suppression& each : suppressions_) {
    if (each.findings == 0) continue;
    if (findings_ >= 0)
      append(findings_, emulator::to_json(each) + "\n");
    else
      append(STDERR_FILENO, emulator::to_text(each));
    each.findings = each.times = 0;
  }
}

bool Reporter::wants_recording(const Config& config, const std::string& kernel,
                               const emulator::LaunchRequest& request) {
  if (record_ < 0) return false;
  const emulator::Dim3 &block = config.recording.block, &grid = request.grid;
  if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) return false;
  if (!kernel.empty() && kernel != request.kernel->name) return false;
  return ++recordable_ == config.record_launch;
}

void Reporter::launched(const emulator::LaunchRequest& request, const emulator::LaunchResult& result) {
  ++launches_;
  last_findings_ = static_cast<int>(result.findings.size());
  kept_.insert(result.kept.begin(), result.kept.end());
  const std::string& kernel = request.kernel->name;
  if (!result.output.empty()) {
    std::fwrite(result.output.data(), 1, result.output.size(), stdout);
    std::fflush(stdout);
  }
  for (const emulator::Finding& each : result.findings)
    if (!is_suppressed(each, kernel) && !is_repeated(each, kernel)) write(each, kernel);
  if (!result.trace.empty())
    append(trace_, emulator::to_json(request, result.arrays, label_, launches_) + "\n");
  for (const emulator::TraceEvent& each : result.trace)
    append(trace_, emulator::to_json(each, label_, launches_, *request.kernel) + "\n");
  if (result.recording)
    append(record_,
           emulator::to_json(*result.recording, request, result.arrays, result.findings, label_, launches_) +
               "\n",
           result.recording->bytes);
  if (counters_ >= 0)
    append(counters_, emulator::to_json(result.counters, label_, launches_, request) + "\n");
}

}  // namespace warpgrade::cudart
