// Findings about calls and accesses of the host, outside any launch.
#pragma once

#include <string>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// A free that frees nothing: the caller fails with cudaErrorInvalidValue.
void report_invalid_free(Runtime& runtime, const emulator::Allocation* found, const std::string& message);
// A launch that is refused before any thread runs.
void report_refused(Runtime& runtime, const std::string& kernel, const std::string& message);
// Allocations of the program that are still there, one finding each; at the end of the process.
void report_leaks(Runtime& runtime);

}  // namespace warpgrade::cudart
