// The parts of the lab, and what is right in part 4.
#pragma once
#include <algorithm>
#include <cmath>

#include "lab.hpp"

using namespace warpgrade::harness;

// The four functions of part 4, in the order of the parts of a float4: sinf, __sinf, 1 / sqrtf, rsqrtf.
static constexpr int FUNCTIONS = 4;

static double exact(int function, double x) { return function < 2 ? std::sin(x) : 1 / std::sqrt(x); }

// The largest error that counts as right: three units in the last place, but for __sinf, whose error grows
// with x.
static double largest_error(int function, double x) {
  if (function == 1) return 0x1p-20 * std::max(1.0, std::fabs(x));
  return 3 * std::ldexp(1.0, std::ilogb(exact(function, x)) - 23);
}

static bool is_of_functions(const Dataset& data) { return data.task.values.starts_with("functions"); }

// The factor of x, another one for each seed.
static float factor(const Dataset& data) { return 1.5f + static_cast<float>(data.task.seed % 7); }
