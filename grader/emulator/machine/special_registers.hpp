// Special registers such as %tid and %laneid: names and values.
#pragma once

#include <cstdint>
#include <string>

#include "machine/block.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

enum class Special : std::uint8_t {
#define SPECIAL(id, value) id,
#include "machine/special_registers.def"
#undef SPECIAL
  unknown,
};

// PTX ISA, section 10. `unknown` where no special register has this name ("%tid.x").
Special find_special(const std::string& name);

bool changes_while_running(Special special);  // clocks
bool changes_with_block(Special special);     // ctaid, smid
bool is_64_bit(Special special);

// Bytes of shared memory that the system reserves in front of a block's own (PTX ISA,
// "%reserved_smem_offset"). The emulator reserves them only for kernels that read this register. Cooperative
// groups of several warps keep their barriers there.
constexpr std::uint32_t kReservedShared = 1024;  // bytes
bool is_reserved_shared(const std::string& name);

// Facts of a launch that special registers expose.
struct LaunchFacts {
  std::uint64_t grid_id = 0;
  std::uint32_t sm_count = 1;
  std::uint64_t grid_workspace = 0;  // address of the cooperative grid's barrier, 0: not cooperative
};

// The value in one lane of a special register that does not change while the block runs.
std::uint64_t special_value(Special special, const Warp& warp, std::uint32_t lane, const LaunchFacts& facts);

}  // namespace warpgrade::emulator
