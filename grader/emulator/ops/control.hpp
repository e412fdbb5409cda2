// Handlers of what the decoder itself makes: control flow, barriers, collectives, and its
// pseudo-instructions.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator::control {

// Jumps: `immediate` is the target. Backward ones have what a turn costs in warp instructions in operand[0]
// and of the time slice in operand[1].
const Instruction* jump(Warp& warp, const Instruction* at);
const Instruction* jump_back(Warp& warp, const Instruction* at);
const Instruction* branch_if(Warp& warp, const Instruction* at);
const Instruction* branch_if_back(Warp& warp, const Instruction* at);
const Instruction* branch_unless(Warp& warp, const Instruction* at);
const Instruction* branch_unless_back(Warp& warp, const Instruction* at);
// A branch (`body`) that may lead past a barrier: operand[3] is its number in Code::watched, operand[4] is 1
// where the lanes that jump pass by, 0 where the others do, operand[5] is 1 for a negated guard, operand[6]
// is 1 where it leaves a loop for the kernel's end.
const Instruction* watched_branch(Warp& warp, const Instruction* at);
// The same for warp operations, in Code::skipping.
const Instruction* skipping_branch(Warp& warp, const Instruction* at);
// `immediate`: JumpTable; operand[2]: slot of the index.
const Instruction* jump_table(Warp& warp, const Instruction* at);

const Instruction* call(Warp& warp, const Instruction* at);   // immediate: CallSite
const Instruction* leave(Warp& warp, const Instruction* at);  // ret
const Instruction* exit(Warp& warp, const Instruction* at);
const Instruction* trap(Warp& warp, const Instruction* at);
const Instruction* unsupported(Warp& warp, const Instruction* at);  // immediate: std::string, the message
const Instruction* nanosleep(Warp& warp, const Instruction* at);
const Instruction* nothing(Warp& warp, const Instruction* at);

// Run `body` for the lanes whose guard is set, or not set.
const Instruction* guarded(Warp& warp, const Instruction* at);
const Instruction* guarded_not(Warp& warp, const Instruction* at);

// Groups of lanes may meet at the instruction behind it.
const Instruction* join(Warp& warp, const Instruction* at);
// The same where it ends a turn of a loop; operands as of a jump back.
const Instruction* join_back(Warp& warp, const Instruction* at);
// immediate: index in Code::counted, in Code::guards.
const Instruction* count_block(Warp& warp, const Instruction* at);
const Instruction* count_guard(Warp& warp, const Instruction* at);
const Instruction* count_guard_not(Warp& warp, const Instruction* at);
// operand[0] = operand[1] (64-bit) + immediate
const Instruction* stack_address(Warp& warp, const Instruction* at);
const Instruction* read_clock(Warp& warp, const Instruction* at);  // immediate: shift
const Instruction* read_clock64(Warp& warp, const Instruction* at);
// activemask: operand[0]
const Instruction* active_mask(Warp& warp, const Instruction* at);

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
const Instruction* barrier(Warp& warp, const Instruction* at);
const Instruction* fence(Warp& warp,
                         const Instruction* at);  // immediate: ptx::Space as Observers::fence takes it

}  // namespace warpgrade::emulator::control
