// Where an access's address and value come from, as the code shows it. Only for findings: each call walks the
// function's instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The name of the kernel parameter that the address of an access was computed from. None if it may come from
// several pointers, or from one that was loaded.
std::optional<std::string> find_pointer_parameter(const ptx::Function& kernel, std::size_t access);

// Whether `load` and `store` are a read-modify-write of one word without an atomic: x[i] += 1.
bool is_update(const ptx::Function& function, std::size_t load, std::size_t store);

// The first branch that depends on the thread and by which a thread bypasses the instruction for good: the
// `return` before a loading loop, or the `if` around a store. The instruction itself if it has such a guard.
std::optional<std::size_t> find_skipping_branch(const ptx::Function& function, std::size_t instruction);

}  // namespace warpgrade::emulator
