// Functions of the device runtime that compiled kernels call: printf, assert, malloc, free.
#pragma once

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Bytes of a launch's printf output that are kept; CUDA's buffer has this size by default. The rest is lost.
constexpr std::size_t kPrintBuffer = std::size_t{1} << 20;

// Calls the function for the active lanes, in order. `base`: start of the caller's part of local memory.
const DecodedInstruction* system_call(Warp& warp, const DecodedInstruction* at, const CallSite& site,
                                      std::uint32_t base);

// Host address of the `bytes` bytes at this lane's generic address; null if the lane may not read them.
const std::byte* readable(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes);
// The zero-terminated string there, cut at 64 KB or where memory ends.
std::string read_string(const Warp& warp, int lane, std::uint64_t address);

}  // namespace warpgrade::emulator
