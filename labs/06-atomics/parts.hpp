// The parts of the lab, which the kind of a case's values names.
#pragma once
#include "lab.hpp"

using namespace warpgrade::harness;

// Whether this case is one of part 1, sums by key. The others are of part 2, the histogram.
static bool is_of_sums(const Dataset& data) { return data.task.values.starts_with("sums"); }
