// Handlers of control flow, and of pseudo-instructions that the decoder inserts.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator::control {

// Jumps: `immediate` is the target. A backward jump ends a loop iteration: operand[0] is the length of the
// iteration in warp instructions, operand[1] the amount that it takes from the time slice.
const DecodedInstruction* jump(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* jump_back(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* branch_if(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* branch_if_back(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* branch_unless(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* branch_unless_back(Warp& warp, const DecodedInstruction* at);
// A branch (`body`) that may lead past a barrier. operand[3]: its index in Code::watched; operand[4]: 1 if
// the lanes that jump bypass the barrier, 0 if the others do; operand[5]: 1 for a negated guard.
const DecodedInstruction* watched_branch(Warp& warp, const DecodedInstruction* at);
// A branch that may lead past a warp operation: operands as above, with the number in Code::skipping.
const DecodedInstruction* skipping_branch(Warp& warp, const DecodedInstruction* at);
// `immediate`: JumpTable; operand[2]: slot of the index.
const DecodedInstruction* jump_table(Warp& warp, const DecodedInstruction* at);

const DecodedInstruction* call(Warp& warp, const DecodedInstruction* at);   // immediate: CallSite
const DecodedInstruction* leave(Warp& warp, const DecodedInstruction* at);  // ret
const DecodedInstruction* exit(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* trap(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* unsupported(Warp& warp,
                                      const DecodedInstruction* at);  // immediate: std::string, the message
const DecodedInstruction* nanosleep(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* nothing(Warp& warp, const DecodedInstruction* at);

// Runs `body` for the lanes whose guard holds.
const DecodedInstruction* guarded(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* guarded_not(Warp& warp, const DecodedInstruction* at);

// Divergent groups of lanes may reconverge at the next instruction.
const DecodedInstruction* join(Warp& warp, const DecodedInstruction* at);
// join() at the end of a loop iteration; operands as for a backward jump.
const DecodedInstruction* join_back(Warp& warp, const DecodedInstruction* at);
// immediate: index in Code::counted; operand[0]: the number of instructions in the block.
const DecodedInstruction* count_block(Warp& warp, const DecodedInstruction* at);
// immediate: index in Code::guards.
const DecodedInstruction* count_guard(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* count_guard_not(Warp& warp, const DecodedInstruction* at);
// operand[0] = operand[1] (64-bit) + immediate
const DecodedInstruction* stack_address(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* read_clock(Warp& warp, const DecodedInstruction* at);  // immediate: shift
const DecodedInstruction* read_clock64(Warp& warp, const DecodedInstruction* at);
// activemask: operand[0]
const DecodedInstruction* active_mask(Warp& warp, const DecodedInstruction* at);

// Barriers: operand[0] result of bar.red, [1] id, [2] thread count or none, [3] predicate of bar.red;
// immediate: BarrierFlags.
enum BarrierFlags : std::uint64_t {
  kAligned = 1,
  kArriveOnly = 2,
  kReducePopc = 4,
  kReduceAnd = 8,
  kReduceOr = 16,
  kNegated = 32,
};
const DecodedInstruction* barrier(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* fence(
    Warp& warp,
    const DecodedInstruction* at);  // immediate: ptx::Space as Observers::fence takes it
// fence.proxy.async, for copies of shared memory.
const DecodedInstruction* proxy_fence(Warp& warp, const DecodedInstruction* at);

}  // namespace warpgrade::emulator::control
