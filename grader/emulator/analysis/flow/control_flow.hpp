// The control-flow graph of one function, and the order in which diverged lanes are run.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/kernel_facts/spin_loop.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Straight-line code: instructions [first, end) of the function. Only its last one may jump, call or leave.
struct BasicBlock {
  std::uint32_t first = 0, end = 0;
  std::vector<std::uint32_t> successors, predecessors;  // indices of blocks, without duplicates
  bool falls_through = false;                           // to the next block in the text
  // Number in a topological order of the graph without back edges, in which each loop is contiguous. Lanes
  // with the lowest number run first, so that diverged lanes reconverge where their paths join.
  std::uint32_t order = 0;
  std::int32_t loop = -1;  // innermost loop
};

struct Loop {
  std::uint32_t header = 0;
  std::int32_t parent = -1;
  std::uint32_t instructions = 0;  // in all of its blocks: the maximum cost of an iteration
  bool waits = false;              // an iteration may wait for another thread: see find_waiting_loops
  bool polls = false;              // waits by repeated reads and writes no memory: see find_spin_loops
  SpinLoop spins = SpinLoop::no;   // waits on some of its paths and does nothing else there
  bool carries = false;            // spins, but a value of an earlier iteration may end the loop
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;       // in the order of the text
  std::vector<std::uint32_t> block_of;  // indexed by instruction
  std::vector<Loop> loops;

  bool is_leader(std::uint32_t instruction) const {
    return blocks[block_of[instruction]].first == instruction;
  }
  // Whether the block lies in the loop, or in one inside it.
  bool is_in(std::uint32_t block, std::int32_t loop) const;
  // The loop of which this is a back edge; -1 for a forward edge.
  std::int32_t loop_of_edge(std::uint32_t from, std::uint32_t to) const;
};

// `function` must end in an instruction that does not fall through, and labels must lie inside it.
ControlFlow build_control_flow(const ptx::Function& function);

bool uses_alloca(const ptx::Function& function);
// Control may go elsewhere than to the next instruction: bra, brx, ret, exit, trap, call.
bool ends_block(const ptx::Instruction& instruction);
// The decoder puts a branch in front of such a guarded instruction instead of narrowing the active mask,
// because lanes wait, call or return in it.
bool guarded_by_branch(const ptx::Instruction& instruction);
// Indices of the instructions that a bra or brx.idx may jump to.
std::vector<std::uint32_t> branch_targets(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
