// Typical mistakes of kernels that multiply matrices, C = A·B, and what each of them computes.
#pragma once
#include <optional>

#include "comparison/hypotheses.hpp"

namespace warpgrade::harness {

// The mistake that explains all wrong elements of a product, if it is one of these.
std::optional<Pattern> product_mistake(const WrongResult& q);

}  // namespace warpgrade::harness
