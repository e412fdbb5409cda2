#include "cudart/runtime/failed_calls.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cudart/runtime/reporter.hpp"
#include "host_code/dropped_result.hpp"
#include "launch/validate.hpp"
#include "order/finding.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/host_lines.hpp"

namespace warpgrade::cudart {
namespace {

constexpr std::size_t kMostPlaces = 100;
constexpr std::string_view kLaunches = "cudaLaunch";

std::atomic<int> status_at_exit{0};

// Errors that say nothing about the program: the kernel has a finding of its own, or the emulator lacks a
// feature.
bool is_of_another_cause(cudaError_t code) {
  return is_sticky(code) || code == cudaErrorNotSupported || code == cudaErrorInvalidPtx;
}

}  // namespace

int exit_status() { return status_at_exit; }

void watch_exit_status() {
  on_exit([](int status, void*) { status_at_exit = status; }, nullptr);
}

void FailedCalls::note_consequence(const std::string& function, cudaError_t code) {
  const std::lock_guard lock(mutex_);
  if (++consequences_ > 1) return;
  consequence_.function = function;
  consequence_.code = code;
  consequence_.call = emulator::current_call();
}

void FailedCalls::explain_consequences(int status) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t count = std::exchange(consequences_, 0);
  if (count == 0 || (count == 1 && status != 0)) return;
  const emulator::HostLine line = emulator::host_line(consequence_.call);
  const std::string place =
      line.line > 0 ? line.file + ":" + std::to_string(line.line) : emulator::call_site(consequence_.call);
  complain("", (count == 1 ? "one call" : std::to_string(count) + " calls") + " failed with " +
                   error_name(consequence_.code) + " as a consequence of a kernel's fault" +
                   (count == 1 ? ", " : ", the first of them ") + consequence_.function + " at " + place +
                   ". After such a fault every call fails and does nothing until cudaDeviceReset()");
}

void FailedCalls::add(const std::string& function, const Failure& failure) {
  if (is_sticky(failure.code) && function.starts_with("cuda") && !emulator::calls_are_remote())
    note_consequence(function, failure.code);
  if (failure.is_reported || is_of_another_cause(failure.code) || !function.starts_with("cuda")) return;
  const bool is_launch = function.starts_with(kLaunches);
  if (emulator::calls_are_remote()) {  // the other process's code is not here
    why_remote_ = is_launch ? "" : failure.why.empty() ? error_text(failure.code) : failure.why;  // WG154
    return;
  }
  const std::vector<const void*> calls = emulator::current_calls();
  if (calls.empty()) return;
  FailedCall failed;
  failed.thread = std::this_thread::get_id();
  failed.function = function;
  failed.code = failure.code;
  failed.why = failure.why;
  failed.refused = failure.refused;
  failed.call = calls[0];
  failed.is_launch = is_launch;
  // A <<<>>> returns nothing.
  const bool is_dropped = emulator::is_announced() || host_code::drops_result(calls);
  const std::lock_guard lock(mutex_);
  any_ = true;
  if (is_dropped)
    ignore(std::move(failed));
  else
    seen_ = std::move(failed);
}

void FailedCalls::ignore(FailedCall failed) {
  const auto known = std::find_if(ignored_.begin(), ignored_.end(), [&](const FailedCall& each) {
    return each.thread == failed.thread && each.call == failed.call && each.code == failed.code;
  });
  if (known != ignored_.end())
    ++known->times;
  else if (ignored_.size() < kMostPlaces)
    ignored_.push_back(std::move(failed));
}

void FailedCalls::error_queried() {
  if (!any_) return;
  const std::lock_guard lock(mutex_);
  const auto is_own = [](const FailedCall& each) { return each.thread == std::this_thread::get_id(); };
  for (const FailedCall& each : ignored_)
    if (is_own(each)) seen_ = each;
  std::erase_if(ignored_, is_own);
}

void FailedCalls::forget_seen() {
  const std::lock_guard lock(mutex_);
  seen_ = {};
  any_ = !ignored_.empty();
}

emulator::Finding FailedCalls::finding_of(const FailedCall& failed, const std::string& then) {
  emulator::Finding finding;
  finding.kind = emulator::FindingKind::failed_call;
  finding.on_device = false;
  finding.times = failed.times;
  finding.site = emulator::host_site(failed.call, failed.function + " fails");
  finding.message = failed.function + " returned " + error_name(failed.code) + ", and the program " + then;
  if (finding.site.line == 0) finding.message += " (called at " + emulator::call_site(failed.call) + ")";
  finding.message += failed.why.empty() ? ": " + std::string(error_text(failed.code)) : ": " + failed.why;
  return finding;
}

emulator::Finding FailedCalls::refusal_of(const FailedCall& failed) {
  emulator::Finding finding = emulator::refused_launch(failed.why);
  finding.times = failed.times;
  finding.site = emulator::host_site(failed.call, "launches");
  return finding;
}

void FailedCalls::report_refused(Reporter& reporter) {
  const std::lock_guard lock(mutex_);
  for (const FailedCall& failed : ignored_)
    if (!failed.refused.empty()) reporter.found(refusal_of(failed), failed.refused);
}

void FailedCalls::report(Reporter& reporter, int status) {
  const std::lock_guard lock(mutex_);
  for (const FailedCall& failed : ignored_)
    reporter.found(finding_of(failed, failed.is_launch ? "never asked for the error of its launch"
                                                       : "did not look at that"),
                   {});
  ignored_.clear();
  if (status != 0 && seen_.code != cudaSuccess)
    reporter.found(finding_of(seen_, "ended with exit code " + std::to_string(status)), {});
  seen_ = {};
  any_ = false;
}

}  // namespace warpgrade::cudart
