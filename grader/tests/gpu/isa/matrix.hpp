// The forms of mma and wmma on a GPU, against the emulator's.
#pragma once

#include <ostream>

#include "gpu.hpp"

namespace warpgrade::hardware {

struct Matrices {
  int asked = 0;
  int differ = 0;     // forms with an element that has other bits
  int fragments = 0;  // fragments of wmma that the GPU lays out otherwise: allowed by the manual
};

// Prints the differences to standard output; the digests of the GPU's answers go to `answers`.
Matrices ask_matrices(Gpu& gpu, std::ostream& answers);

}  // namespace warpgrade::hardware
