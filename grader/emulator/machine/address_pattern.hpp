// What is known of the addresses in a register, so that loads and stores need not look at 32 of them.
//
// Behind each write of a register that more accesses use than writes set, the decoder puts an instruction
// that looks at its lanes once. A shape is of the very values in the register, as long as it is known at all:
// every write is followed by a new look, and one that did not see a full warp forgets what was known.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"
#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct alignas(64) AddressPattern {
  static constexpr std::uint32_t kScattered = 0xffffffffu;
  std::uint64_t lowest = 0, highest = 0;  // over all lanes
  std::uint64_t first[2] = {0, 0};        // of lanes 0 and 16
  std::uint32_t stride[2] = {0, 0};       // from lane to lane within each half; kScattered: there is none
  std::uint32_t low_bits = 0;             // of all addresses, or-ed: for alignment
  std::uint32_t known = 0;                // 0: nothing is
  std::uint32_t cost = 0;  // of an access to shared memory, see SharedCost; 0: not worked out yet
  // Host address of offset 0 of shared memory, where all accesses through the register that are meant for it
  // are in bounds and aligned (see AccessRange); else 0.
  std::uint64_t shared_base = 0;
};
static_assert(sizeof(AddressPattern) == 64);

// Slot of the shape in the frame.
constexpr int kPatternOperand = 6;
// The cost that an access to shared memory usually has, see SharedCost; only where accesses are counted.
constexpr int kCostOperand = 7;

// A plain load or store of whole registers; null where there is no handler for it. It leaves to
// Instruction::body, the general handler, whatever does not fit.
struct AffineAccess {
  ptx::Space space = ptx::Space::global;  // or shared
  bool wide_address = true;
  bool is_store = false;
  unsigned bytes = 4;  // of one element: 4 or 8
  int vector = 1;      // elements: 1, 2 or 4
};
enum class Watch : std::uint8_t { none, counts, all };  // whom a handler tells of its access

// Where the accesses to shared memory through one register lie, next to the address in it.
struct AccessRange {
  std::int32_t begin = 0, end = -1;  // end < begin: there are none, or not all can be looked at beforehand
  std::uint32_t alignment = 1;
};

}  // namespace warpgrade::emulator
