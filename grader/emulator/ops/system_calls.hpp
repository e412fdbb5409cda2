// Functions of the device runtime that compiled kernels call: printf, assert, malloc, free.
#pragma once

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Device printf keeps this much of a launch, as CUDA's buffer does by default; the rest is lost.
constexpr std::size_t kPrintBuffer = std::size_t{1} << 20;

// Calls the function for the active lanes, in order. `base`: start of the caller's part of local memory.
const DecodedInstruction* system_call(Warp& warp, const DecodedInstruction* at, const CallSite& site,
                                      std::uint32_t base);

// Host address of `bytes` bytes at a generic address as this lane sees it, null if it may not read them.
const std::byte* readable(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes);
// The zero-terminated string there, cut at 64 KB or where memory ends.
std::string read_string(const Warp& warp, int lane, std::uint64_t address);

}  // namespace warpgrade::emulator
