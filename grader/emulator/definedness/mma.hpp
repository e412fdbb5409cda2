// Which elements of a product of matrices, mma or wmma.mma, come of what nothing wrote.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "definedness/propagation_rules.hpp"
#include "isa/matrix.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

using UndefinedRegister = std::array<Undefined, kWarpSize>;  // by lane

// D = A·B + C: an element of A is in all of its row, one of B in all of its column, one of C in its own
// place. `operands`: the registers of A, B and C; `results`: those of D, which have nothing undefined as yet.
void find_undefined_mma_elements(const isa::MatrixForm& form,
                                 const std::array<std::vector<UndefinedRegister>, 3>& operands,
                                 std::span<UndefinedRegister> results);

}  // namespace warpgrade::emulator
