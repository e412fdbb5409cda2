// Syntax tree → text, for golden tests and `emu --dump=tree`.
#pragma once

#include <string>

#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// One line for each declaration and instruction. The same tree gives the same text on each run.
std::string dump(const Module& module);

std::string dump(const Instruction& instruction, const Function& function);

}  // namespace warpgrade::ptx
