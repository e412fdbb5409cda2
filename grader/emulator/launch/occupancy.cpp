#include "launch/occupancy.hpp"

#include <algorithm>

#include "machine/geometry.hpp"

namespace warpgrade::emulator {
namespace {

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

// Compute capability 1.x allocates a block's registers from one pool. Since 2.0 a warp's registers come from
// the partition that runs the warp, so a warp cannot use the free registers of another partition.
int by_registers(const ComputeCapability& sm, const BlockNeeds& block, int warps) {
  if (block.registers <= 0) return sm.blocks;
  if (block.registers > sm.thread_registers) return 0;
  if (sm.major == 1) {
    const int of_block =
        round_up(round_up(warps, sm.warp_unit) * kWarpSize * block.registers, sm.register_unit);
    return sm.registers / of_block;
  }
  const int of_warp = round_up(kWarpSize * block.registers, sm.register_unit);
  // The limit of one block counts warps in whole rounds over the partitions. On 6.0, which has two, a block
  // must fit as if there were four, so that what runs on one Pascal runs on all.
  const int partitions = std::max(sm.warp_unit, sm.major == 6 ? 4 : 0);
  if (round_up(warps, partitions) * of_warp > sm.block_registers) return 0;
  if (sm.registers / partitions / of_warp * partitions < warps) return 0;
  const int warps_of_sm = sm.registers / sm.warp_unit / of_warp * sm.warp_unit;
  return warps_of_sm / warps;
}

int by_shared_memory(const ComputeCapability& sm, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(sm.block_shared_optin)) return 0;
  const int of_block = round_up(static_cast<int>(bytes) + sm.shared_reserved, sm.shared_unit);
  return of_block == 0 ? sm.blocks : sm.shared / of_block;
}

}  // namespace

int blocks_per_sm(const ComputeCapability& sm, const BlockNeeds& block) {
  if (block.threads <= 0 || block.threads > sm.block_threads) return 0;
  const int warps = (block.threads + kWarpSize - 1) / kWarpSize;
  return std::min(
      {sm.blocks, sm.warps / warps, by_registers(sm, block, warps), by_shared_memory(sm, block.shared)});
}

std::size_t dynamic_shared_for(const ComputeCapability& sm, std::size_t static_shared, int blocks) {
  if (blocks <= 0) return 0;
  const int each = sm.shared / blocks / sm.shared_unit * sm.shared_unit - sm.shared_reserved;
  const int most = std::min(each, sm.block_shared_optin);
  return most <= static_cast<int>(static_shared) ? 0 : static_cast<std::size_t>(most) - static_shared;
}

}  // namespace warpgrade::emulator
