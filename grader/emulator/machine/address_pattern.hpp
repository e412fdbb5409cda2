// The affine pattern (base and stride) of the 32 addresses in a register: loads and stores through it need
// not inspect each address.
//
// After each write of a register that is used by more accesses than it is written, the decoder inserts an
// instruction that computes the pattern (address_pattern_handler() in ops/memory/affine.hpp). A known pattern
// always describes the current values of the register: each write updates it, and a write by part of a warp
// clears it.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct alignas(64) AddressPattern {
  static constexpr std::uint32_t kScattered = 0xffffffffu;
  std::uint64_t lowest = 0, highest = 0;  // over all lanes
  std::uint64_t first[2] = {0, 0};        // addresses of lanes 0 and 16
  std::uint32_t stride[2] = {0, 0};       // from lane to lane within each half; kScattered: there is none
  std::uint32_t low_bits = 0;             // low bits of all addresses, or-ed: for alignment
  std::uint32_t known = 0;                // 0: nothing is
  std::uint32_t cost = 0;  // cost of an access to shared memory, see SharedCost; 0: not computed yet
  // Host address of the block's shared memory, if all accesses to shared memory through the register are in
  // bounds and aligned (see AccessRange); else 0.
  std::uint64_t shared_base = 0;
};
static_assert(sizeof(AddressPattern) == 64);

// Operand that holds the frame slot of the pattern.
constexpr int kPatternOperand = 6;
// The cost that an access to shared memory usually has, see SharedCost; only where accesses are counted.
constexpr int kCostOperand = 7;

// A plain load or store of whole registers.
struct AffineAccess {
  ptx::Space space = ptx::Space::global;  // or shared
  bool wide_address = true;
  bool is_store = false;
  unsigned bytes = 4;  // bytes of one element: 4 or 8
  int vector = 1;      // elements: 1, 2 or 4
};
enum class Observation : std::uint8_t {
  none,
  counts,
  all
};  // what a handler does besides: nothing, counts, or reports to all observers

// The offsets from a register at which shared memory is accessed through it.
struct AccessRange {
  std::int32_t begin = 0, end = -1;  // end < begin: no accesses, or not all are known beforehand
  std::uint32_t alignment = 1;
};

}  // namespace warpgrade::emulator
