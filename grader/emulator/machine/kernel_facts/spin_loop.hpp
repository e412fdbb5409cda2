// Loops that only wait for another thread to write a value.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

// The memory that such a loop reads; found by analysis/flow/spin_loops.hpp.
enum class SpinLoop : std::uint8_t { no, on_shared_memory, on_any_memory };

}  // namespace warpgrade::emulator
