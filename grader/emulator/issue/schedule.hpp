// In which cycles an SM executes its blocks, for the model of time (docs/performance-model.md, "Issue, cycle
// by cycle"). All warps execute the same trace.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace warpgrade::issue {

// What an instruction occupies besides its issue slot.
enum class Unit {
  kNone,
  kLoad,   // the data pipe of shared memory and L1
  kStore,  // the same; a barrier waits for it
  kBarrier,
  kSingle,           // the halves of the pipe for single precision in turns
  kIntegerMultiply,  // the half that also multiplies integers
  kWideMultiply,     // the same, for products of 64 bits
  kInteger,
  kSpecial,
  kDouble,
  kTurns,        // lanes with unlike values one after the other, `passes` cycles
  kTakenBranch,  // the scheduler issues nothing while it fetches
  kCount,
};

struct TracedInstruction {
  Unit unit = Unit::kNone;
  int stall = 1;                    // cycles until the warp's next instruction
  int sets = -1;                    // scoreboard that its result releases; -1: none
  int waits = 0;                    // mask of the scoreboards that it waits for
  double passes = 0;                // through the data pipe; of kTurns: cycles
  double latency = 0;               // cycles until the result can be used, of an access from its last pass on
  std::array<int, 2> fetches = {};  // registers of the even and of the odd bank
  std::array<int, 2> kept = {};     // those that it fetches only if another warp has issued since
  double from_l2 = 0;               // cycles in which L2 delivers its data to this SM; 0: not from there
};

struct WarpTrace {
  std::vector<TracedInstruction> instructions;
  std::vector<std::size_t> order;  // numbers of instructions, as a warp executes them
};

struct IssueTiming {
  std::size_t queue = 1;    // accesses of one scheduler that wait for the data pipe, at most
  double queue_cycles = 1;  // between two accesses of one scheduler
  double entry = 0;         // cycles from issue to the data pipe
  double barrier = 0;       // cycles from the last arrival until the warps continue
  double spread = 0;        // of the latency of L2, relative: uniform between 1 - spread and 1 + spread
};

// Blocks of `warps` warps each, of which the SM holds `held` at a time. Those that it holds first start
// `apart` cycles after each other, each of the others `next` cycles after one has ended.
struct BlockSequence {
  std::size_t blocks = 1, held = 1, warps = 1;
  double apart = 0, next = 0;
  unsigned seed = 1;        // of the latencies of L2
  bool older_first = true;  // of two accesses, that of the older block
};

// Cycles by block, in the order in which they start.
struct Schedule {
  std::vector<double> starts, ends;
};

// Throws std::invalid_argument if the trace names what it does not have, std::runtime_error if no warp can
// go on.
Schedule schedule(const WarpTrace& trace, const IssueTiming& timing, const BlockSequence& blocks);

}  // namespace warpgrade::issue
