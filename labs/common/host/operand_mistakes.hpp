// Mistakes in the operands of a thread that computes several rows and columns of a matrix.
#pragma once
#include <vector>

#include "comparison/hypotheses.hpp"

namespace warpgrade::harness {

// An operand is read by another index than its own, so that each wrong element is right for another row, or
// for another column, of its block. None where each thread computes one element, or where no value is there
// twice. `q` must live as long as these.
std::vector<Hypothesis> operand_mistakes(const WrongResult& q);

}  // namespace warpgrade::harness
