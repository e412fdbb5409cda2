// The decoded form of one kernel and of all functions that it may call.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/counters/counter_class.hpp"
#include "machine/kernel_facts/flag_loads.hpp"
#include "machine/kernel_facts/race_needs.hpp"
#include "machine/kernel_facts/written_globals.hpp"
#include "machine/program.hpp"
#include "machine/special_registers.hpp"

namespace warpgrade::emulator {

// Layout of a frame: registers first, then constants, special registers and scratch slots. The bytes of the
// second part (the image) are copied into each new frame.
struct FrameLayout {
  std::uint32_t bytes = 0;
  std::uint32_t image_begin = 0;
  std::vector<std::byte> image;  // content of the bytes [image_begin, bytes)

  struct SpecialSlot {
    std::uint32_t slot = 0;
    Special special = Special::zero;
    ptx::Type type = ptx::Type::b32;  // type of the slot
  };
  std::vector<SpecialSlot> specials;        // registers that differ by thread or by launch
  std::vector<SpecialSlot> block_specials;  // registers whose values differ by block

  // A register that always holds one kernel parameter: its slot is filled in at launch.
  struct ParameterSlot {
    std::uint32_t slot = 0, offset = 0;
    ptx::Type loaded = ptx::Type::b32;  // type that the ld.param names
    ptx::Type type = ptx::Type::b32;    // type of the slot
    bool address = false;               // the parameter's address rather than its value
  };
  std::vector<ParameterSlot> parameters;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> zeroed;  // slot, bytes
  std::uint32_t stack_pointer = kNoOperand;  // slot of a 64-bit offset in local memory; none in a kernel
};

// One parameter of a call: copied between the local frames of caller and callee.
struct PassedBytes {
  std::uint32_t from = 0, to = 0, bytes = 0;  // `from`: offset in the writer's frame; `to`: in the reader's
};

enum class SystemCall : std::uint8_t { none, vprintf, assert_fail, malloc, free };

struct CallSite {
  std::int32_t callee = -1;  // index in Code::functions; -1: indirect or system
  SystemCall system = SystemCall::none;
  std::uint32_t pointer = kNoOperand;  // indirect: slot of the 64-bit function address
  struct Passed {
    std::uint32_t offset = 0, bytes = 0;  // in the caller's local frame
  };
  std::vector<Passed> arguments, results;
};

struct JumpTable {
  std::vector<std::uint32_t> index;  // positions in Code::instructions
  std::vector<const DecodedInstruction*> target;
};

// A branch past a barrier: see analysis/synchronization/barrier_bypass.hpp.
struct Watched {
  std::uint32_t position = 0;           // in Code::instructions
  std::vector<std::uint32_t> barriers;  // DecodedInstruction::index of the bypassed barriers
  bool leaves_loop = false;             // and leads to the kernel's end
};

// A register that some path of a kernel reads before it writes it: a variable without a value.
struct UnsetRegister {
  std::uint32_t slot = 0, bytes = 0;  // of one lane
  std::uint32_t reader = 0;  // DecodedInstruction::index of the first instruction in the text that reads it
};

struct CodeFunction {
  const ptx::Function* source = nullptr;
  std::uint32_t entry = 0;  // position in Code::instructions
  std::uint32_t end = 0;
  FrameLayout frame;
  std::vector<std::uint32_t> register_slots;  // indexed by register, for traces; kNoOperand: has none
  std::vector<UnsetRegister> unset;           // of a kernel only
  std::uint32_t local_bytes = 0;  // local variables and parameters of one activation; a multiple of 16
  std::vector<CallSite::Passed> parameters, results;  // in its own local frame
};

// Instructions that always run together: one counter serves all of them.
struct CountedBlock {
  std::uint32_t first = 0;  // DecodedInstruction::index
  std::uint32_t warp_instructions = 0, branches = 0, barriers = 0, shuffles = 0;
  // Without those that a predicate guards: see CountedGuard.
  std::uint32_t ffma = 0, fadd = 0, fmul = 0, doubles = 0;
  std::uint32_t matrix_products = 0;   // multiply-adds, without guarded ones
  std::vector<std::uint32_t> choices;  // DecodedInstruction::index of the branches that may split a warp
};
// A guarded arithmetic instruction: its active lanes are counted at each execution.
struct CountedGuard {
  CounterClass counts = CounterClass::other;
};

// Offsets in the block's shared memory that an access may touch: those of one array. Empty: all.
struct SharedArrayBounds {
  std::uint32_t begin = 0, end = 0;
};

struct Code {
  const KernelInfo* kernel = nullptr;
  std::vector<DecodedInstruction> instructions;
  std::vector<std::uint32_t> rank;  // indexed by position: the group of lanes with the lower rank runs first
  std::vector<std::uint32_t> function_of;  // indexed by position
  // Indexed by position: true if the instruction may write memory or wait for other warps. False for an
  // atomic with a result: only its execution shows whether it changes memory.
  std::vector<bool> acts;
  std::vector<CodeFunction> functions;                         // the kernel is the first
  std::unordered_map<std::uint64_t, std::int32_t> by_address;  // function pointers
  std::deque<CallSite> calls;
  std::deque<JumpTable> tables;
  std::deque<std::string> unsupported;            // messages of the instructions that trap
  std::vector<std::shared_ptr<const void>> kept;  // keeps alive what instructions point to
  std::vector<CountedBlock> counted;
  std::vector<CountedGuard> guards;
  std::vector<Watched> watched;
  std::vector<Watched> skipping;  // branches past warp collectives that name all lanes
  std::vector<SharedArrayBounds>
      shared_array_bounds;              // see shared_array_bounds.hpp; only where accesses are observed
  std::uint32_t stack_bytes = 0;        // stack of one thread: the frames of calls
  std::uint32_t local_bytes = 0;        // local memory of one thread, with the stack for alloca
  bool parameters_in_memory = false;    // the kernel takes the address of one
  RaceNeeds race_needs;                 // only where accesses are observed
  FlagLoads flag_loads;                 // only where accesses are observed
  WrittenGlobals written;               // only where accesses are observed
  bool depends_on_block_order = false;  // see analysis/synchronization/block_order_dependence.hpp
  bool polls_memory = false;            // a loop may wait for what another block writes

  std::uint32_t position(const DecodedInstruction* at) const {
    return static_cast<std::uint32_t>(at - instructions.data());
  }
};

// The variant of a kernel's code that a launch runs.
struct CodeVariant {
  bool observed = false;  // memory accesses are reported to all observers
  bool counted = false;   // instructions and accesses are counted
};

// Function addresses as kernels see them.
constexpr std::uint64_t kFunctionAddresses = 0x0000'7d00'0000'0000;
constexpr std::uint64_t kFunctionAddressStep = 16;

}  // namespace warpgrade::emulator
