// Decides which lanes run: groups of lanes that share a program counter, warps of a block, their barriers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/block.hpp"
#include "machine/exchange.hpp"
#include "machine/finding.hpp"
#include "machine/kernel_code.hpp"
#include "machine/shadow_execution.hpp"
#include "machine/trap.hpp"

namespace warpgrade::emulator {

struct BlockRun;

// One activation of a function, shared by the groups of lanes that are in it.
struct CallFrame {
  CallFrame* caller = nullptr;
  const DecodedInstruction* resume = nullptr;  // in the caller
  const CallSite* site = nullptr;
  std::byte* frame = nullptr;
  std::uint32_t function = 0;    // in Code::functions
  std::uint32_t depth = 0;       // 0: the kernel
  std::uint32_t base = 0;        // first byte of its local memory
  std::uint32_t references = 1;  // groups in this activation, and activations that it called
};

// Lanes of a warp that are not running and wait at one instruction.
struct Group {
  enum class State : std::uint8_t { runnable, at_barrier, at_collective };
  const DecodedInstruction* at = nullptr;  // the instruction at which they continue
  const DecodedInstruction* waits_at = nullptr;
  CallFrame* top = nullptr;
  std::uint32_t mask = 0;
  State state = State::runnable;
  bool slice_expired = false;  // time slice used up: other groups run first
  std::uint8_t barrier = 0;
};

constexpr std::int64_t kTimeSlice = 1 << 16;         // warp instructions
constexpr std::uint32_t kStallsBeforeProbe = 8;      // stalled rounds between two runs of livelock detection
constexpr std::uint32_t kMaxSlices = 2 * kWarpSize;  // slices that a warp may use before other warps run
constexpr std::int64_t kSpinIterations = 64;         // iterations of a spin loop in one slice
constexpr std::uint32_t kPollCost =
    kTimeSlice + 1;  // one iteration of a polling loop uses up the whole slice

struct WarpState {
  BlockRun* run = nullptr;
  const DecodedInstruction* code = nullptr;  // first of Code::instructions
  CallFrame* top = nullptr;                  // activation of the running group
  std::uint32_t runnable = 0;                // waiting groups that could run
  std::uint32_t groups = 0;
  std::int64_t slice = kTimeSlice;
  std::uint32_t slices = 0;  // time slices that its groups have used up since other warps ran
  const DecodedInstruction* resumed = nullptr;  // where the running group last continued
  // While the running group is in the activation `settled_top` at a rank below `settled_below`, it has
  // precedence: all runnable waiting groups are in that activation at this rank or a higher one. Reset to 0
  // when a group becomes runnable; see reconverge().
  const CallFrame* settled_top = nullptr;
  std::uint32_t settled_below = 0;
  std::uint64_t steps = 0;  // warp instructions since the last check of the step limit
  Group group[kWarpSize];
  Exchange exchange;
  std::uint32_t alloca_top[kWarpSize] = {};  // bytes that each lane has allocated: ops/alloca.hpp

  CallFrame root;
  std::vector<std::unique_ptr<CallFrame>> made;
  std::vector<CallFrame*> free;
  // Frames of called functions: [depth - 1][function], made when first entered.
  struct DeepFrame {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t block = ~0ull;  // the block whose registers the frame holds
  };
  std::vector<std::vector<DeepFrame>> deep;
};

struct Barrier {
  std::uint32_t arrived = 0;                  // threads
  std::uint32_t expected = 0;                 // 0: all threads of the block that have not exited
  const DecodedInstruction* first = nullptr;  // instruction at which the first thread arrived
  const DecodedInstruction* alike = nullptr;  // another instruction, of the same barrier in the source
  bool mixed = false;                         // some threads arrived at another barrier
  bool aligned = false;
  std::uint32_t popc = 0;
  bool all = true, any = false;
  std::vector<std::uint32_t> masks;  // indexed by warp
  std::uint32_t waiting = 0;         // mask of the warps that wait; other arrived warps executed bar.arrive
};

// State of livelock detection while each runnable group executes one loop iteration. See livelock.hpp.
struct LoopIterations {
  struct Unfinished {
    const WarpState* warp = nullptr;
    std::uint32_t mask = 0;
    const DecodedInstruction* at = nullptr;
  };
  std::vector<Unfinished> left;  // groups that have not finished their iteration
  bool on_any_memory = false;    // a finished iteration read memory that other blocks may write
  bool acted = false;            // some group executed an instruction of Code::acts
  bool changed = false;          // an atomic changed memory
  bool carries = false;          // some loops are endless only if their registers stay the same
};

// Counted while the block runs; see instruction_counts.hpp.
struct InstructionCounts {
  struct LaneCount {
    std::uint64_t executions = 0, lanes = 0;
  };
  std::vector<LaneCount> blocks;         // Code::counted
  std::vector<std::uint64_t> guards;     // lanes, Code::guards
  std::vector<std::uint64_t> divergent;  // indexed by position of the branch
};

// Thrown where a block is abandoned because a block with a lower index has failed.
struct Abandoned {};

struct BlockRun : Block {
  const Code* code = nullptr;
  LaunchFacts facts;
  InstructionCounts* counts = nullptr;
  const std::atomic<std::uint64_t>* lowest_failed = nullptr;
  const std::atomic<bool>* interrupt = nullptr;  // see LaunchOptions
  std::vector<Warp> warp;
  std::vector<WarpState> state;
  std::uint32_t alive_threads = 0;
  std::uint32_t next_warp = 0;
  std::uint32_t open_barriers = 0;  // with threads that have arrived
  std::uint64_t steps = 0, step_limit = 0;
  std::uint64_t executed = 0;  // warp instructions, where they are counted
  std::uint32_t clock_reads = 0;
  bool scalar = false;
  bool in_turns = false;  // run_block() yields after each round over all warps
  bool check_barrier = true, check_init = true;
  // Since the last round over all warps: `polled`: a slice ended in a spin loop; `progressed`: a group made
  // progress.
  bool polled = false, progressed = false;
  std::uint32_t stalls = 0;          // rounds in which the block waited for other blocks
  LoopIterations* probed = nullptr;  // while livelock detection runs
  Barrier barrier[16];
  // Lanes that have skipped a barrier since a barrier last opened. Indexed by Code::watched and warp.
  std::vector<std::uint32_t> passed;
  bool any_passed = false;
  // Lanes that skipped a warp operation at their last execution of the branch, while other lanes of the warp
  // did not. Indexed by Code::skipping and warp.
  std::vector<std::uint32_t> skipped;
  std::unique_ptr<ShadowExecution> undefined;  // set at the first read of unwritten memory
};

inline WarpState& state_of(const Warp& warp) { return *warp.state; }

enum class Progress : std::uint8_t { finished, yielded, livelocked };

// Runs the block until all threads have exited, or until every warp has used up its slice while it waits for
// another block, or until livelock. On a deadlock or fault, reports a finding and throws Trap.
Progress run_block(BlockRun& block);

// Runs the groups of the warp one after another, until none can run or the slice is used up.
void run_warp(Warp& warp);

// --- for handlers ---

// Reconverges with groups that wait at `at`, or lets a group with precedence run first. Continue at the
// result.
const DecodedInstruction* reconverge(Warp& warp, const DecodedInstruction* at);
// The running group has exited or waits: resumes the next group of the warp; null if none can run.
const DecodedInstruction* next_group(Warp& warp);
// Suspends the running group. Call next_group() afterwards.
Group& suspend_group(Warp& warp, const DecodedInstruction* at, Group::State state);
// Called by a backward jump to `to` that has used up the slice.
const DecodedInstruction* expire_slice(Warp& warp, const DecodedInstruction* jump,
                                       const DecodedInstruction* to);
// Moves `mask` of the running lanes into a group of their own, which waits at `at`.
void split_group(Warp& warp, std::uint32_t mask, const DecodedInstruction* at);
// Divergence: the lanes in `mask` continue at `there`, the others at `here`. Returns where the first ones
// continue.
const DecodedInstruction* diverge(Warp& warp, std::uint32_t mask, const DecodedInstruction* there,
                                  const DecodedInstruction* here);
void remove_group(WarpState& state, std::uint32_t index);
void release(WarpState& state, CallFrame* frame);  // drops one reference

// To be called after threads have exited or arrived: opens the barriers that are complete.
void check_barriers(BlockRun& block);

// The position of each group of each warp of the block.
std::vector<ThreadPosition> thread_positions(const BlockRun& block);
// A finding of this kind about the warp's lowest active lane, at this instruction.
Finding finding_at(const Warp& warp, const DecodedInstruction* at, FindingKind kind, std::string message);
[[noreturn]] void fail(Warp& warp, Finding finding, LaunchStatus status);

}  // namespace warpgrade::emulator
