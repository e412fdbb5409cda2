// emu --dump=summary, packed and machine-code: what the grader reads from PTX and cubins, as JSON.
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

inline constexpr const char* kJsonUsage =
    "as JSON, for the grader:\n"
    "  summary                 of a PTX text: kernels, and what the grader checks before it is assembled\n"
    "  packed --ptx=FILE.ptx --arch=sm_N\n"
    "                          of a fat binary: whether its PTX has the tokens of that text, and the "
    "resources\n"
    "                          of its kernels for that GPU\n"
    "  machine-code --arch=sm_N\n"
    "                          of a program, fat binary or cubin: the kernels' machine code for that GPU\n";

// False if `what` is not one of these or an option is missing. Throws std::runtime_error.
bool dump_json(const std::string& file, const std::string& what, const std::vector<std::string>& options);

// The whole file. Throws std::runtime_error.
std::string read_file(const std::string& path);

}  // namespace warpgrade
