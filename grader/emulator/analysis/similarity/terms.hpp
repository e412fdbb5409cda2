// A program as a set of terms: what each instruction computes, by what its operands were computed from.
//
// A term is an instruction with the instructions that made its operands, to a depth of two. It holds no
// register's name, no place in the text, no number and no offset of an address. So names, the order of
// statements, macros and layout leave the terms as they are; unrolling mostly repeats terms, and a set has
// each once (docs/similarity.md).
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Hash of a term → lines of the source's main file, `.file 1`, that compute it; 0 for code of other files. Of
// code that is inlined into the main file the line is that of the call.
using Terms = std::map<std::uint64_t, std::set<int>>;

// Time and memory in proportion to the module.
Terms terms_of(const ptx::Module& module);

}  // namespace warpgrade::emulator
