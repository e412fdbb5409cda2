// Which elements of an mma or wmma.mma result depend on undefined input.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "definedness/propagation_rules.hpp"
#include "isa/matrix.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

using UndefinedRegister = std::array<Undefined, kWarpSize>;  // indexed by lane

// D = A·B + C: an undefined element of A makes its row of D undefined, one of B its column, one of C its own
// element. `operands`: the registers of A, B and C. `results`: those of D, all defined on entry.
void find_undefined_mma_elements(const isa::MatrixForm& form,
                                 const std::array<std::vector<UndefinedRegister>, 3>& operands,
                                 std::span<UndefinedRegister> results);

}  // namespace warpgrade::emulator
