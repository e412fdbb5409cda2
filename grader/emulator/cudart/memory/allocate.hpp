// Device memory that API functions allocate and free.
#pragma once

#include <cstddef>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// Null for 0 bytes. Throws Failure (cudaErrorMemoryAllocation) if there is none left.
// `caller`: return address in the program, for messages.
void* allocate(Runtime& runtime, std::size_t bytes, emulator::Allocation::Kind kind,
               const void* caller = nullptr);

// Frees memory of cudaMalloc and similar functions, or, if `pinned`, of cudaMallocHost. Null has no effect.
// Throws Failure.
void release(Runtime& runtime, void* pointer, bool pinned, const void* caller = nullptr);

// Bytes from row to row.
std::size_t pitch_of(std::size_t width);

}  // namespace warpgrade::cudart
