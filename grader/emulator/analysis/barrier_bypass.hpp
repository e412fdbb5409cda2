// Branches that decide whether a thread comes to a block barrier or passes it by.
//
// The hardware counts arrivals, and threads that have returned are not waited for. So a block in which some
// threads go round a __syncthreads() and on to the end does not hang; it computes nonsense. To find that,
// such branches note who passed by, and the barrier looks at the notes when it opens.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

struct BypassBranch {
  std::uint32_t instruction = 0;  // a guarded bra
  bool taken_passes = false;      // the jump leads past the barriers; else going straight on does
  // It leaves a loop with the barriers in it, and leads to the end: nobody waits for whoever takes it, but
  // lanes of the same warp may wait for each other there before they return.
  bool leaves_loop = false;
  std::vector<std::uint32_t>
      barriers;  // instructions on the other side: barriers, and calls that lead to some
};

// Branches with barriers of the whole block between one side and the place where the sides meet, and none on
// the other. A branch whose sides meet only where the kernel returns is not one: that is an early return,
// which is in use, and which every generation since Volta executes as meant; unless it leaves a loop round a
// barrier, which on an H200 never ends where the loop was unrolled. `leads_to_barrier`: is a call one of a
// function with a barrier of the whole block?
using LeadsToBarrier = std::function<bool(const ptx::Instruction& call)>;
std::vector<BypassBranch> find_barrier_bypasses(const ptx::Function& function, const ControlFlow& flow,
                                                const LeadsToBarrier& leads_to_barrier = {});

// The same for warp operations that name all lanes: lanes that go round one and on are missed there, though
// nobody waits for them once they have returned. The barriers of the result are such operations.
std::vector<BypassBranch> find_collective_bypasses(const ptx::Function& function, const ControlFlow& flow);

// bar.sync 0 or barrier.sync 0: of all threads of the block.
bool is_block_barrier(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
