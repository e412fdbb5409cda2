// Where an access's address and value come from, as the code shows it. Only for findings: each call walks the
// function's instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The name of the kernel parameter that the address of an access was computed from. None where several
// pointers, or a loaded one, may be behind it.
std::optional<std::string> find_pointer_parameter(const ptx::Function& kernel, std::size_t access);

// Whether `store` puts back, changed, what `load` has brought from the same word, with no atomic: x[i] += 1.
bool is_update(const ptx::Function& function, std::size_t load, std::size_t store);

// The first branch that depends on the thread and lets it pass the instruction for good: the `return` before
// a loading loop, or the `if` around a store. The instruction itself where it has such a guard.
std::optional<std::size_t> find_skipping_branch(const ptx::Function& function, std::size_t instruction);

}  // namespace warpgrade::emulator
