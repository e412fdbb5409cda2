// What a function does with a word that another thread may have written.
#pragma once

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

bool is_in_global(const ptx::Instruction& i);
// A comparison, a vote, a branch or another function gets the word.
bool tests(const ptx::Instruction& i);
// The result depends on the word as a number: no bits of it are picked.
bool computes_number(const ptx::Instruction& i);

}  // namespace warpgrade::emulator
