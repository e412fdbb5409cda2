// Branches that decide whether a thread reaches a block barrier or bypasses it.
//
// The hardware counts arrivals and does not wait for threads that have returned. A block in which some
// threads bypass a __syncthreads() and return does not hang; it computes wrong results. To find that, such
// branches record the threads that bypass a barrier, and the barrier checks the record when it opens.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/flow/control_flow.hpp"

namespace warpgrade::emulator {

struct BypassBranch {
  std::uint32_t instruction = 0;  // a guarded bra
  bool taken_passes = false;  // the taken side bypasses the barriers; otherwise the fall-through side does
  // The bypass leaves the loop that contains the barriers and leads to the return. Returned threads are not
  // waited for, but lanes of the same warp may wait for each other there before they return.
  bool leaves_loop = false;
  std::vector<std::uint32_t>
      barriers;  // instructions on the other side: barriers, and calls that lead to some
};

// Branches with block barriers on one side, before the post-dominator, and none on the other. An early return
// (the sides meet only where the kernel returns) does not count: it is common, and every GPU since Volta
// executes it as intended. The exception is a branch that leaves a loop around a barrier: on an H200 such a
// kernel hangs where the loop was unrolled. `leads_to_barrier`: the call is one of a function with a block
// barrier.
using LeadsToBarrier = std::function<bool(const ptx::Instruction& call)>;
std::vector<BypassBranch> find_barrier_bypasses(const ptx::Function& function, const ControlFlow& flow,
                                                const LeadsToBarrier& leads_to_barrier = {});

// The same for collectives whose member mask names all lanes; BypassBranch::barriers then lists collectives.
std::vector<BypassBranch> find_collective_bypasses(const ptx::Function& function, const ControlFlow& flow);

// bar.sync 0 or barrier.sync 0, of all threads of the block.
bool is_block_barrier(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
