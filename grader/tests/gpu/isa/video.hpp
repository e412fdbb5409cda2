// The scalar video instructions on a GPU, against the emulator's.
#pragma once

#include <ostream>

#include "gpu.hpp"

namespace warpgrade::hardware {

struct Videos {
  int asked = 0, differ = 0;
  int departing = 0;  // differ, as is known: there the emulator follows the manual
};

// Prints the differences to standard output; the digests of the GPU's answers go to `answers`.
Videos ask_videos(Gpu& gpu, std::ostream& answers);

}  // namespace warpgrade::hardware
