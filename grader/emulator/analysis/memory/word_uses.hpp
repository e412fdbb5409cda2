// What a function does with a word that another thread may have written.
#pragma once

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

bool is_in_global(const ptx::Instruction& i);
// The instruction compares the word, votes or branches on it, or passes it to another function.
bool tests(const ptx::Instruction& i);
// The instruction computes with the word as a number, instead of extracting bits of it.
bool computes_number(const ptx::Instruction& i);

}  // namespace warpgrade::emulator
