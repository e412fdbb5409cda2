// How far each row of the operation table can be trusted, and why: for the documentation.
#pragma once

#include <cstdint>
#include <ostream>

#include "isa/operation.hpp"

namespace warpgrade::isa {

enum class Evidence : std::uint8_t {
  hardware,   // bit for bit what an H200 answered to 2048 sets of operands; and the reference's
  reference,  // bit for bit the reference's; no GPU before compute capability 10 has it
  bounded,    // an approximation: more exact than the GPU's, within the manual's error bound
  elsewhere,  // decoded and tested in exec/
};
Evidence evidence(const Operation& row);
const char* name(Evidence evidence);

// One line for each form: form, tab, section of the PTX manual, tab, evidence.
void print_fidelity(std::ostream& out);

}  // namespace warpgrade::isa
