// Findings about calls and accesses of the host, outside any launch.
#pragma once

#include <string>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// A free of a pointer that is not an allocation: the caller returns cudaErrorInvalidValue.
void report_invalid_free(Runtime& runtime, const emulator::Allocation* found, const std::string& message);
// Rows of a box of which nobody has written a byte. A copy of a line is one row.
struct UnwrittenRows {
  std::size_t width = 0, all = 0;  // bytes of a row, rows of the box
  std::size_t count = 0;
  struct {
    std::size_t z = 0, y = 0;
  } first = {};
  bool over_results = false;  // where they go, a kernel has written
};
// A copy to the host of such rows of this allocation. `call`: that asked for it; null: the current one.
void report_unwritten_copy(Runtime& runtime, const emulator::Allocation& from, const UnwrittenRows& rows,
                           const void* call);
// A copy within this allocation whose source and destination share so many bytes.
void report_overlapping_copy(Runtime& runtime, const emulator::Allocation& in, std::size_t bytes);
// A launch that is refused before any thread runs.
void report_refused(Runtime& runtime, const std::string& kernel, const std::string& message);
// A time asked of events that have none yet; `why` says which.
void report_event_not_ready(Runtime& runtime, const std::string& why);
// A time asked of two events of which the second was recorded first.
void report_events_exchanged(Runtime& runtime);
// At the end of the process: allocations, registered memory, streams, events, graphs and pools that are still
// there, by the call that made them, and work that nothing has waited for.
void report_leaks(Runtime& runtime);
void report_unfinished(Runtime& runtime);
// At the same time, or when a signal ends the process: failed calls at whose errors the program did not look.
// `status`: the process's.
void report_failed_calls(Runtime& runtime, int status);

}  // namespace warpgrade::cudart
