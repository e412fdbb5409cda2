// A readable trace of one warp: each executed instruction with the values that it reads and writes.
#pragma once

#include <iosfwd>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct InstructionTraceRequest {
  Dim3 block{0, 0, 0};        // blockIdx
  std::uint32_t warp = 0;     // in the block
  std::size_t most = 20'000;  // instructions; later ones run, but are not written
};

// launch() without checks on one worker, with each instruction of the chosen warp written to `out`:
//   kernel.cu:12   ffffffff  fma.rn.f32 %f3, %f1, %f2, %f3    %f1 = 2  %f2 = 0, 1, … 31  %f3 = 1 → %f3 = 1,
//   3, … 63
// The mask names the lanes that execute the instruction. Values are listed by lane, lowest first; numbers in
// even steps are written as the first two and the last. One trace at a time in a process.
LaunchResult trace_instructions(const LaunchRequest& request, DeviceMemory& memory,
                                const DeviceLimits& limits, const InstructionTraceRequest& trace,
                                std::ostream& out);

}  // namespace warpgrade::emulator
