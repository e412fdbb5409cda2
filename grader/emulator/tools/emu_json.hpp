// emu --dump=summary and others: what the grader reads from PTX and cubins, as JSON.
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

inline constexpr const char* kJsonUsage =
    "as JSON, for the grader:\n"
    "  summary                 of a PTX text: kernels, and what the grader checks before it is assembled\n"
    "  packed FILE.ptx [FILE.cubin]\n"
    "                          of a fat binary: whether its PTX has the tokens of that text; resources of "
    "the\n"
    "                          kernels in the cubin\n"
    "  fingerprints [FILE.fatbin]...\n"
    "                          of fat binaries: what they compute, in a form that can be compared\n"
    "  machine-code --arch=sm_N\n"
    "                          of a program, fat binary or cubin: the kernels' machine code for that GPU\n";

// False if `what` is not one of these or `words` are not what it needs. Throws std::runtime_error.
bool dump_json(const std::string& file, const std::string& what, const std::vector<std::string>& words);

// The whole file. Throws std::runtime_error.
std::string read_file(const std::string& path);

}  // namespace warpgrade
