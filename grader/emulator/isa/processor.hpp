// The processor that this runs on. The build asks it, too: grader/cmake/fastest_level.cpp.
#pragma once

#include <string_view>

namespace warpgrade::isa {

// Whether the processor has the vector instructions of this level of x86-64: "v1", "v3" or "v4" (System V
// ABI, AMD64 supplement, "Micro-Architecture Levels").
inline bool processor_runs(std::string_view level) {
  if (level == "v1") return true;
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
        __builtin_cpu_supports("movbe")))
    return false;
  if (level == "v3") return true;
  return level == "v4" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

}  // namespace warpgrade::isa
