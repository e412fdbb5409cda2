// emu --dump=trace: launches one kernel of a module and writes what one of its warps does.
#pragma once

#include <string>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade {

inline constexpr const char* kTraceUsage =
    "options of --dump=trace:\n"
    "  --kernel=NAME          which kernel; may be left out where there is one only\n"
    "  --grid=X[,Y[,Z]]       blocks (1), and with --block=X[,Y[,Z]] threads of each (32)\n"
    "  --shared=BYTES         dynamic shared memory (0)\n"
    "  --of=X[,Y[,Z]]         the block that is traced (0), and with --warp=N its warp (0)\n"
    "  --most=N               instructions that are written (20000)\n"
    "  VALUE…                 the kernel's parameters in order: 7, -1, 1.5 (as wide as the parameter), or\n"
    "                         buffer:BYTES[:i32|f32] for a pointer to memory that holds 0, or 0, 1, 2, …\n";

// Exit code: 0 done, 1 the launch failed. Throws std::runtime_error for words that it does not understand.
int trace(ptx::Module module, const std::vector<std::string>& words);

}  // namespace warpgrade
