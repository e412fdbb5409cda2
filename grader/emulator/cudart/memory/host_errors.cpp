#include "cudart/memory/host_errors.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "findings/fault.hpp"
#include "launch/validate.hpp"
#include "order/finding.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/host_symbols.hpp"
#include "symbols/kernel_names.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::cudart {
namespace {

using Kind = emulator::Allocation::Kind;

emulator::Finding by_host(emulator::FindingKind kind, const std::string& message) {
  emulator::Finding finding;
  finding.kind = kind;
  finding.on_device = false;
  finding.message = message;
  return finding;
}

constexpr int kMost = 20;  // reported leaks of one kind: more would not help

void report_leaked_memory(Runtime& runtime) {
  int reported = 0;
  for (const emulator::Allocation* each : runtime.memory.live()) {
    const bool own =
        each->allocated_at != nullptr &&
        (each->kind == Kind::device || each->kind == Kind::managed || each->kind == Kind::pinned);
    if (!own || ++reported > kMost) continue;
    const bool registered = !runtime.memory.in_range(each->base);  // memory of the program itself
    const std::string size = " of " + std::to_string(each->bytes) + " bytes was never ";
    emulator::Finding finding =
        registered
            ? by_host(emulator::FindingKind::resource_leak,
                      "registered memory" + size + "unregistered with cudaHostUnregister, registered at " +
                          emulator::place_of_call(each->allocated_at))
            : by_host(emulator::FindingKind::memory_leak,
                      name_of(*each) + size + "freed" + emulator::provenance(*each));
    finding.site = emulator::host_site(each->allocated_at, registered ? "registers" : "allocates");
    runtime.reporter.found(finding, {});
  }
}

// Memory of malloc() and `new` in kernels, by the line that made it: the compiler may have unrolled its loop.
void report_leaked_heap(Runtime& runtime) {
  struct Leak {
    std::size_t count = 0, bytes = 0;
  };
  std::map<std::pair<std::string, int>, Leak> leaks;
  for (const emulator::Allocation* each : runtime.memory.live()) {
    if (each->kind != Kind::device_heap || each->program == nullptr) continue;
    const emulator::SourcePlace place = emulator::place_of(*each->program, each->instruction);
    Leak& leak = leaks[{place.file, place.line}];
    ++leak.count;
    leak.bytes += each->bytes;
  }
  for (const auto& [made, leak] : leaks) {
    emulator::Finding finding = by_host(
        emulator::FindingKind::memory_leak,
        leak.count == 1
            ? "one allocation of " + std::to_string(leak.bytes) + " bytes that a kernel made was never freed"
            : std::to_string(leak.count) + " allocations of " + std::to_string(leak.bytes) +
                  " bytes in all that a kernel made were never freed");
    finding.site.by_host = true;
    finding.site.access = "allocates memory of the device's heap";
    finding.site.file = made.first;
    finding.site.line = made.second;
    finding.site.source = emulator::source_line(made.first, made.second);
    runtime.reporter.found(finding, {});
  }
}

// Grouped by the call that made them, which may be in a loop.
template <class Object>
void report_leaked_handles(Set<Object>& objects, Runtime& runtime, const std::string& what,
                           const std::string& remedy) {
  std::map<const void*, int> counts;
  for (const auto& [handle, object] : objects) ++counts[object->made_at];
  int reported = 0;
  for (const auto& [made_at, count] : counts) {
    if (++reported > kMost) break;
    std::string text = count == 1 ? "one " + what + " was" : std::to_string(count) + " " + what + "s were";
    text += " never destroyed with " + remedy;
    if (made_at != nullptr) text += ", made at " + emulator::place_of_call(made_at);
    emulator::Finding finding = by_host(emulator::FindingKind::resource_leak, text);
    finding.site = emulator::host_site(made_at, "makes");
    runtime.reporter.found(finding, {});
  }
}

// The host's code names a __device__ variable, but accesses the host's own shadow of it, which no kernel
// sees.
void report_written_shadows(Runtime& runtime) {
  if (!runtime.config.options.check_memory) return;
  for (const std::string& each : runtime.registry.written_shadows()) {
    const std::string name = emulator::demangled(each.c_str());
    const std::string message = "the host writes the variable " + name +
                                ", which is the device's: kernels do not see that. cudaMemcpyToSymbol(" +
                                name + ", …) copies a value to it, and __managed__ variables are for both";
    runtime.reporter.found(by_host(emulator::FindingKind::device_pointer, message), {});
  }
}

void report_asked_time(Runtime& runtime, emulator::Finding finding) {
  const void* caller = emulator::current_call();
  finding.site = emulator::host_site(caller, "asks for the time");
  if (finding.site.line == 0 && caller != nullptr)
    finding.message += " (called at " + emulator::call_site(caller) + ")";
  runtime.reporter.found(finding, {});
}

// Runs at the end of the process, after the program's own destructors.
struct AtExit {
  ~AtExit() {
    if (Runtime* runtime = Runtime::made(); runtime != nullptr && runtime->mutex.try_lock()) {
      report_failed_calls(*runtime, exit_status());
      report_written_shadows(*runtime);
      report_unfinished(*runtime);
      report_leaks(*runtime);
      runtime->reporter.finish();
      runtime->mutex.unlock();
    }
  }
} at_exit;

}  // namespace

void report_invalid_free(Runtime& runtime, const emulator::Allocation* found, const std::string& message) {
  if (!runtime.config.options.check_memory) return;
  std::string text = message;
  if (found != nullptr) text += emulator::provenance(*found);
  emulator::Finding finding = by_host(emulator::FindingKind::invalid_free, text);
  finding.site = emulator::host_site(emulator::current_call(), "frees");
  runtime.reporter.found(finding, {});
}

void report_unwritten_copy(Runtime& runtime, const emulator::Allocation& from, const UnwrittenRows& rows,
                           const void* call) {
  if (!runtime.config.options.check_init) return;
  std::string message = "the host copies " + std::to_string(rows.count * rows.width) + " bytes of " +
                        name_of(from) + " that nobody has written";
  if (rows.count != rows.all) {
    message += " (" + std::to_string(rows.count) + " of " + std::to_string(rows.all) + " rows, first row " +
               std::to_string(rows.first.y);
    message += (rows.first.z == 0 ? "" : " of slice " + std::to_string(rows.first.z)) + ")";
  }
  if (rows.over_results) message += ", to where a kernel has written";
  emulator::Finding finding = by_host(emulator::FindingKind::unwritten_copy, message);
  finding.memory = emulator::describe_global(runtime.memory, from.base, 0);
  finding.is_over_results = rows.over_results;
  finding.site = emulator::host_site(call != nullptr ? call : emulator::current_call(), "copies");
  runtime.reporter.found(finding, {});
}

void report_overlapping_copy(Runtime& runtime, const emulator::Allocation& in, std::size_t bytes) {
  if (!runtime.config.options.check_memory) return;
  emulator::Finding finding = by_host(emulator::FindingKind::overlapping_copy,
                                      "source and destination of a copy share " + std::to_string(bytes) +
                                          " bytes of " + name_of(in) + emulator::provenance(in));
  finding.site = emulator::host_site(emulator::current_call(), "copies");
  runtime.reporter.found(finding, {});
}

void report_refused(Runtime& runtime, const std::string& kernel, const std::string& message) {
  emulator::Finding finding = emulator::refused_launch(message);
  // A launch that is not announced may be a harness's, whose line says nothing to the student.
  if (emulator::is_announced() || emulator::calls_are_remote())
    finding.site = emulator::host_site(emulator::current_call(), "launches");
  runtime.reporter.found(finding, kernel);
}

void report_event_not_ready(Runtime& runtime, const std::string& why) {
  if (!runtime.config.options.check_memory) return;
  report_asked_time(runtime, by_host(emulator::FindingKind::event_not_ready,
                                     "cudaEventElapsedTime has no time to give: " + why));
}

void report_events_exchanged(Runtime& runtime) {
  if (!runtime.config.options.check_memory) return;
  report_asked_time(runtime,
                    by_host(emulator::FindingKind::events_exchanged,
                            "cudaEventElapsedTime gives a time below 0: the event that it takes for the "
                            "end was recorded before the one that it takes for the beginning"));
}

namespace {

// Work that the host has not waited for. It was done when it was submitted, but a GPU might still be running
// it. A harness checks its own results, and a program that gave up said so by its exit code.
void report_unwaited(Runtime& runtime) {
  if (runtime.reporter.has_label() || exit_status() != 0) return;
  for (const OrderCheck::LastWork& each : runtime.order.unwaited()) {
    const std::string words =
        each.kernel.empty() ? each.words : "kernel " + emulator::names_of_kernel(each.kernel).plain;
    emulator::Finding finding = by_host(emulator::FindingKind::unfinished_work,
                                        "the program ended and had not waited for " + words +
                                            ": a GPU might still be at it, and what it prints may be lost");
    finding.site = emulator::host_site(each.call, "gives work to the GPU");
    runtime.reporter.found(finding, {});
  }
}

}  // namespace

void report_unfinished(Runtime& runtime) {
  const std::vector<std::string> left = runtime.pending.descriptions();
  if (!runtime.config.options.check_memory || runtime.sticky != cudaSuccess) return;
  if (left.empty()) return report_unwaited(runtime);
  // Each once, in the order of the calls.
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string& each : left) {
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](auto& known) { return known.first == each; });
    if (found != counts.end())
      ++found->second;
    else
      counts.emplace_back(each, 1);
  }
  constexpr std::size_t kMost = 3;
  std::string text = "the program ended and had not waited for ";
  std::size_t named = 0;
  for (std::size_t i = 0; i < std::min(kMost, counts.size()); ++i) {
    const auto& [what, times] = counts[i];
    text += (i == 0 ? "" : ", ") + what + (times == 1 ? "" : " (" + std::to_string(times) + " times)");
    named += times;
  }
  if (named < left.size()) text += " and " + std::to_string(left.size() - named) + " more";
  runtime.reporter.found(by_host(emulator::FindingKind::unfinished_work, text), {});
}

void report_failed_calls(Runtime& runtime, int status) {
  runtime.failed_calls.report_refused(runtime.reporter);
  if (runtime.config.options.check_memory) runtime.failed_calls.report(runtime.reporter, status);
  if (!runtime.reporter.has_label()) runtime.failed_calls.explain_consequences(status);
}

void report_leaks(Runtime& runtime) {
  if (!runtime.config.options.check_memory || runtime.sticky != cudaSuccess) return;
  report_leaked_memory(runtime);
  report_leaked_heap(runtime);
  report_leaked_handles(runtime.handles.streams, runtime, "stream", "cudaStreamDestroy");
  report_leaked_handles(runtime.handles.events, runtime, "event", "cudaEventDestroy");
  report_leaked_handles(runtime.handles.graphs, runtime, "graph", "cudaGraphDestroy");
  report_leaked_handles(runtime.handles.execs, runtime, "executable graph", "cudaGraphExecDestroy");
  report_leaked_handles(runtime.handles.pools, runtime, "memory pool", "cudaMemPoolDestroy");
}

}  // namespace warpgrade::cudart
