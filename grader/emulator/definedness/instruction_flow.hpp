// The data flow of one instruction, for the shadow interpreter: registers read and written, and those whose
// definedness matters at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/memory/store_sources.hpp"
#include "analysis/memory/struct_copies.hpp"
#include "isa/matrix.hpp"
#include "machine/kernel_code.hpp"

namespace warpgrade::emulator {
struct Access;
}

namespace warpgrade::emulator {

struct BlockRun;

// True if the shadow interpreter can run the instruction of this access again.
bool can_restart(const Access& access);

struct InstructionFlow {
  const ptx::Instruction* ptx = nullptr;  // null: nothing to interpret
  const CodeFunction* function = nullptr;
  std::vector<std::int32_t> read, written, needed;  // needed: must be defined
  std::vector<std::int32_t> stored;                 // indexed by element, -1: no register
  std::vector<AdjacentWord> beside;           // words beside a store that may write padding of a structure
  StoreSource value;                          // origin of a stored value
  std::optional<isa::MatrixAccess> fragment;  // set for wmma.load and wmma.store
  unsigned elements = 1;
  bool loads = false, stores = false, exchanges = false, calls = false, merges = false;
  bool mixes = false;  // mixes_all_bytes()
  std::uint32_t slot(std::int32_t reg) const {
    const auto r = static_cast<std::size_t>(reg);
    return r < function->register_slots.size() ? function->register_slots[r] : kNoOperand;
  }
  ptx::Type type(std::int32_t reg) const {
    return function->source->registers[static_cast<std::size_t>(reg)].type;
  }
};

InstructionFlow instruction_flow(const BlockRun& run, const DecodedInstruction* at);

}  // namespace warpgrade::emulator
