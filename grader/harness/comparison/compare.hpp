// Compares results with the expected ones and describes the wrong elements.
#pragma once
#include "cases/dataset.hpp"
#include "device/device_arrays.hpp"
#include "launches/kernels.hpp"
#include "patterns/pattern.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// Compares one array. `coverage` names the launch whose blocks cover it, if there is one. `own` finds a
// pattern that only the lab knows.
Outcome compare(const Dataset& data, const Array& result, const Coverage& coverage,
                const FindPattern& own = nullptr);

// Compares all outputs of a case; the first wrong one decides.
Outcome compare(const Dataset& data, const HostArrays& results, const Kernels& kernels,
                const FindPattern& own = nullptr);

}  // namespace warpgrade::harness
