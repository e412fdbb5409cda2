// The two arguments of a handler: a decoded instruction and the warp that executes it.
//
// A register is a slot of 32 lanes side by side, at a byte offset from Warp::frame:
//   pred        one 32-bit mask, bit i = lane i          (4 bytes)
//   b8/b16      32 values of 2 bytes                     (64 bytes)
//   b32         32 values of 4 bytes                     (128 bytes)
//   b64         32 values of 8 bytes                     (256 bytes)
//   b128        32 values of 16 bytes                    (512 bytes)
// Immediates are slots too, filled in before the launch, so a handler need not distinguish kinds of operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/dim3.hpp"
#include "machine/geometry.hpp"

namespace warpgrade::emulator {

constexpr std::uint32_t kFullMask = 0xffffffffu;
constexpr std::uint32_t kNoOperand = 0xffffffffu;

struct AccessRow;
struct Block;
struct DecodedInstruction;
struct Warp;
struct WarpState;

// Executes the instruction for the lanes of Warp::active. Returns the instruction to run next, usually
// `at + 1`, or null to hand the warp back to the scheduler. Faults are thrown as Trap.
using Handler = const DecodedInstruction* (*)(Warp& warp, const DecodedInstruction* at);

struct alignas(64) DecodedInstruction {
  Handler handler = nullptr;    // what the interpreter calls
  Handler body = nullptr;       // guarded instruction: what `handler` calls under the narrowed mask
  std::uint64_t immediate = 0;  // address offset, branch target …: the handler's own
  std::uint32_t operand[8] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand,
                              kNoOperand, kNoOperand, kNoOperand, kNoOperand};  // slots, destination first
  std::uint32_t guard = kNoOperand;
  std::uint32_t index = 0;  // ordinal of the PTX instruction (machine/program.hpp); key of the side tables
};
static_assert(sizeof(DecodedInstruction) == 64, "one cache line");

// The part of a warp that handlers use. The scheduler keeps the rest (program counters of the lanes
// that wait, call stack) in sched/scheduler.
struct Warp {
  std::byte* frame = nullptr;  // slots of the function that the running lanes are in
  std::uint32_t active = 0;    // lanes that run now; while a guarded instruction runs, those it selects
  std::uint32_t alive = 0;     // lanes that have not exited
  std::uint32_t index = 0;     // warp in its block: thread = 32·index + lane, x fastest
  Block* block = nullptr;
  std::byte* local = nullptr;      // local memory: lane l's byte o is at local + l·local_bytes + o
  std::uint32_t local_bytes = 0;   // for each lane
  std::uint64_t local_window = 0;  // lane 0's generic address of it: machine/memory/local_window.hpp
  WarpState* state = nullptr;      // the scheduler's part: sched/scheduler.hpp
  AccessRow* rows = nullptr;       // indexed by DecodedInstruction::index, where accesses are counted
  std::uint32_t carry = 0;         // condition code CC.CF of add.cc and its like, one bit a lane

  template <class T>
  T* lanes(std::uint32_t slot) const {
    return reinterpret_cast<T*>(frame + slot);
  }
  std::uint32_t& mask(std::uint32_t slot) const { return *reinterpret_cast<std::uint32_t*>(frame + slot); }
};

}  // namespace warpgrade::emulator
