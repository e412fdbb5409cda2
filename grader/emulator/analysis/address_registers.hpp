// Which registers are worth a look at their addresses.
#pragma once

#include <optional>
#include <vector>

#include "analysis/control_flow.hpp"
#include "machine/address_pattern.hpp"

namespace warpgrade::emulator {

// The access that an instruction is, where a shaped handler may do it: unguarded, plain, through a register.
std::optional<AffineAccess> find_affine_access(const ptx::Instruction& instruction,
                                               const ptx::Function& function);

// By register: true where its accesses run more often than its writes, by the depth of the loops that they
// are in.
std::vector<bool> find_address_registers(const ptx::Function& function, const ControlFlow& flow);

// By register: where its accesses to shared memory lie.
std::vector<AccessRange> find_shared_ranges(const ptx::Function& function);

}  // namespace warpgrade::emulator
