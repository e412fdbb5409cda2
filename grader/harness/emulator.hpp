// What our own runtime offers beyond CUDA's. With NVIDIA's these functions do nothing.
#pragma once
#include <cstddef>
#include <string>

namespace warpgrade::harness::emulator {

// Whether the runtime that the loader found is the emulator.
bool present();

// Findings and counters of later launches carry this label.
void label(const std::string& text);

// Kernels may touch only these bytes of the allocation around them.
void name_buffer(const void* data, std::size_t bytes, const char* name);

}  // namespace warpgrade::harness::emulator
