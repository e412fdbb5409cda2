// How the results of each row of the operation table were verified, for the documentation.
#pragma once

#include <cstdint>
#include <ostream>

#include "isa/operation.hpp"

namespace warpgrade::isa {

enum class Evidence : std::uint8_t {
  hardware,   // bit-identical to an H200 for 2,048 sets of operands, and to the reference
  reference,  // bit-identical to the reference; no GPU before compute capability 10.0 has the form
  bounded,    // an approximation within the manual's error bound, more precise than the GPU's
  elsewhere,  // decoded, run and tested in another room
};
Evidence evidence(const Operation& row);
const char* name(Evidence evidence);

// One line for each form: form, tab, section of the PTX ISA, tab, evidence.
void print_fidelity(std::ostream& out);

}  // namespace warpgrade::isa
