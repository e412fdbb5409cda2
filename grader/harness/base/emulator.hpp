// Functions of the emulator's runtime that CUDA lacks. With NVIDIA's runtime they do nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpgrade::harness::emulator {

// Whether the dynamic loader found the emulator's runtime.
bool present();

// Findings and counters of later launches carry this label.
void label(const std::string& text);

// Whether the blocks of later launches run together and in turns, or mostly one after the other.
void blocks_in_turns(bool in_turns);

// Names of device variables, or "the device heap", in which launches since the last label() may have left
// values for later launches. Empty if there are none.
std::string kept_state();

// The number of findings that the last launch had.
int finding_count();

// The most warp instructions that a block of later launches may run; 0: no limit.
void step_limit(std::uint64_t steps);

// fork() whose child may go on with the runtime; -1: not possible. GPUs have no such child.
int fork();

// The byte that unwritten device memory is filled with; none: its content is undefined.
std::optional<std::byte> unwritten_byte();

// Kernels may touch only these bytes of the allocation around them.
void name_buffer(const void* data, std::size_t bytes, const char* name);

// These bytes count as never written, whatever they hold: a kernel that depends on them reads an
// uninitialised value.
void unwritten(const void* data, std::size_t bytes);

}  // namespace warpgrade::harness::emulator
