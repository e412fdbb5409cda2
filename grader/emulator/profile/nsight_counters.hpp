// From the counts of each instruction to the launch's counters, by the rules of Nsight Compute.
#pragma once

#include <cstdint>

#include "machine/counters/access_counts.hpp"
#include "machine/counters/counters.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {

// Adds what one instruction's row has counted to the launch's totals and to the counters of its place.
void add_row(const AccessRow& counted, std::uint32_t instruction, const Program& program, Counters& to);

}  // namespace warpgrade::emulator
