// The instructions that may read what one instruction has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/value_flow.hpp"

namespace warpgrade::emulator {

// Readers on all paths along which no other instruction is certain to overwrite the value before.
std::vector<std::size_t> readers_behind(const ptx::Function& function, const ControlFlow& control,
                                        const ValueFlow& values, std::size_t from, std::int32_t value);

}  // namespace warpgrade::emulator
