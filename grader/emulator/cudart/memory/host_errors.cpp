#include "cudart/memory/host_errors.hpp"

#include "findings/fault.hpp"

namespace warpgrade::cudart {
namespace {

using Kind = emulator::Allocation::Kind;

emulator::Finding by_host(emulator::Check check, emulator::FindingKind kind, const std::string& message) {
  emulator::Finding finding;
  finding.check = check;
  finding.kind = kind;
  finding.on_device = false;
  finding.message = message;
  return finding;
}

std::string name_of(const emulator::Allocation& allocation) {
  return allocation.name.empty() ? "allocation " + std::to_string(allocation.serial) : allocation.name;
}

// At the end of the process, behind the program's own destructors.
struct AtExit {
  ~AtExit() {
    if (Runtime* runtime = Runtime::made(); runtime != nullptr && runtime->mutex.try_lock()) {
      report_leaks(*runtime);
      runtime->mutex.unlock();
    }
  }
} at_exit;

}  // namespace

void report_invalid_free(Runtime& runtime, const emulator::Allocation* found, const std::string& message) {
  if (!runtime.config.options.check_memory) return;
  std::string text = message;
  if (found != nullptr) text += emulator::provenance(*found);
  runtime.reporter.found(by_host(emulator::Check::memory, emulator::FindingKind::invalid_free, text), {});
}

void report_refused(Runtime& runtime, const std::string& kernel, const std::string& message) {
  runtime.reporter.found(by_host(emulator::Check::limit, emulator::FindingKind::launch_resources, message),
                         kernel);
}

void report_leaks(Runtime& runtime) {
  constexpr int kMost = 20;  // more would add nothing
  if (!runtime.config.options.check_memory || runtime.sticky != cudaSuccess) return;
  int reported = 0;
  for (const emulator::Allocation* each : runtime.memory.live()) {
    const bool own =
        each->allocated_at != nullptr &&
        (each->kind == Kind::device || each->kind == Kind::managed || each->kind == Kind::pinned);
    if (!own || ++reported > kMost) continue;
    runtime.reporter.found(by_host(emulator::Check::memory, emulator::FindingKind::memory_leak,
                                   name_of(*each) + " of " + std::to_string(each->bytes) +
                                       " bytes was never freed" + emulator::provenance(*each)),
                           {});
  }
}

}  // namespace warpgrade::cudart
