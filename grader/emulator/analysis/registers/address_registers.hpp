// Address registers for which precomputing the affine pattern pays off.
#pragma once

#include <optional>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "machine/address_pattern.hpp"

namespace warpgrade::emulator {

// The instruction as an affine access: an unguarded, weak load or store of whole registers, addressed through
// a register. Empty for any other instruction.
std::optional<AffineAccess> find_affine_access(const ptx::Instruction& instruction,
                                               const ptx::Function& function);

// Indexed by register: true if it is expected to be used as an address more often than it is written, by loop
// depth.
std::vector<bool> find_address_registers(const ptx::Function& function, const ControlFlow& flow);

// Indexed by register: the range of offsets that accesses to shared memory through it cover.
std::vector<AccessRange> find_shared_ranges(const ptx::Function& function);

}  // namespace warpgrade::emulator
