// Findings about calls and accesses of the host, outside any launch.
#pragma once

#include <string>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// A free of a pointer that is not an allocation: the caller returns cudaErrorInvalidValue.
void report_invalid_free(Runtime& runtime, const emulator::Allocation* found, const std::string& message);
// Rows of a box, none of whose bytes has been written. A copy of a line is one row.
struct UnwrittenRows {
  std::size_t width = 0, all = 0;  // bytes of a row, rows of the box
  std::size_t count = 0;
  struct {
    std::size_t z = 0, y = 0;
  } first = {};
  bool over_results = false;  // a kernel has written to their destination
};
// A copy to the host of such rows of this allocation. `call`: the call that asked for it; null: the current
// one.
void report_unwritten_copy(Runtime& runtime, const emulator::Allocation& from, const UnwrittenRows& rows,
                           const void* call);
// A copy within this allocation whose source and destination have `bytes` bytes in common.
void report_overlapping_copy(Runtime& runtime, const emulator::Allocation& in, std::size_t bytes);
// A launch that is refused before any thread runs.
void report_refused(Runtime& runtime, const std::string& kernel, const std::string& message);
// A query for the time between events that have none yet; `why` says which.
void report_event_not_ready(Runtime& runtime, const std::string& why);
// A query for the time between two events of which the second was recorded first.
void report_events_exchanged(Runtime& runtime);
// At the end of the process: allocations, registered memory, streams, events, graphs and pools that have not
// been freed, by the call that made them, and work that nothing has waited for.
void report_leaks(Runtime& runtime);
void report_unfinished(Runtime& runtime);
// At the end, or when a signal ends the process: failed calls whose errors the program did not check.
// `status`: the exit status of the process.
void report_failed_calls(Runtime& runtime, int status);

}  // namespace warpgrade::cudart
