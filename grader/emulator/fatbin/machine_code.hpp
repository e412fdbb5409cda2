// Reads the machine code of a GPU (SASS) from a cubin, for the model of a kernel's time.
//
// PTX is not what a GPU executes: ptxas merges loads, drops moves and orders instructions. Since Volta each
// instruction has 16 bytes. Read from each: its kind, how wide an access is, bank conflicts of the registers
// that arithmetic reads, and how long the warp waits before the next one (stall count, scoreboards).
// NVIDIA does not document this encoding. Opcodes and fields were found by assembling small kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::fatbin {

struct MachineInstruction {
  std::string_view kind = "other";  // "ffma", "global load", "mma 16x8x16", "branch", "other" …
  int bytes = 0;                    // bytes that one lane loads or stores; 0 for other kinds
  int conflict_cycles = 0;  // extra cycles of an ffma, because a bank of registers is behind with its reads
  // Of arithmetic, by bank: registers that it fetches, and those that an operand collector holds already.
  std::array<int, 2> fetches = {}, kept = {};
  int stall = 0;             // cycles until the warp's next instruction
  int sets = -1;             // scoreboard that the result releases; -1: none
  int waits = 0;             // mask of the scoreboards that the instruction waits for
  std::int64_t target = -1;  // branch or call: index of the target instruction
  int line = 0;              // line of the PTX text, from 1; 0 without line table
  bool floating = false;     // an atomic on floating point
  bool guarded = false;      // by a predicate: a warp issues it, too, where it holds for no lane
};

struct MachineKernel {
  std::string name;
  std::uint32_t registers = 0;     // registers of a thread
  std::uint64_t shared_bytes = 0;  // static shared memory of a block
  std::vector<MachineInstruction> instructions;
};

// The kernels and functions of a cubin, or without their instructions. Throws FormatError if `image` is not
// one.
std::vector<MachineKernel> read_machine_code(std::string_view image);
std::vector<MachineKernel> read_resources(std::string_view image);

// Start of each cubin for an architecture, 90 for sm_90, in a program or fat binary. What lies in a cubin is
// its data, even if it holds the bytes of another cubin. Throws FormatError if a cubin is cut off.
std::vector<std::string_view> find_cubins(std::string_view program, int architecture);

}  // namespace warpgrade::fatbin
