#include "machine/special_registers.hpp"

#include <unordered_map>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

Special find_special(const std::string& name) {
  using S = Special;
  static const std::unordered_map<std::string, Special> kNames = {
      {"%tid.x", S::tid_x},
      {"%tid.y", S::tid_y},
      {"%tid.z", S::tid_z},
      {"%ntid.x", S::ntid_x},
      {"%ntid.y", S::ntid_y},
      {"%ntid.z", S::ntid_z},
      {"%ctaid.x", S::ctaid_x},
      {"%ctaid.y", S::ctaid_y},
      {"%ctaid.z", S::ctaid_z},
      {"%nctaid.x", S::nctaid_x},
      {"%nctaid.y", S::nctaid_y},
      {"%nctaid.z", S::nctaid_z},
      {"%laneid", S::laneid},
      {"%warpid", S::warpid},
      {"%nwarpid", S::nwarpid},
      {"%smid", S::smid},
      {"%nsmid", S::nsmid},
      {"%gridid", S::gridid},
      {"%lanemask_eq", S::lanemask_eq},
      {"%lanemask_le", S::lanemask_le},
      {"%lanemask_lt", S::lanemask_lt},
      {"%lanemask_ge", S::lanemask_ge},
      {"%lanemask_gt", S::lanemask_gt},
      {"%dynamic_smem_size", S::dynamic_smem_size},
      {"%total_smem_size", S::total_smem_size},
      {"%aggr_smem_size", S::total_smem_size},
      {"%reserved_smem_offset_begin", S::zero},
      {"%reserved_smem_offset_0", S::zero},
      {"%reserved_smem_offset_1", S::reserved_shared_middle},
      {"%reserved_smem_offset_end", S::reserved_shared_end},
      {"%reserved_smem_offset_cap", S::reserved_shared_end},
      {"%envreg1", S::envreg1},
      {"%envreg2", S::envreg2},
      // Each cluster has one block.
      {"%clusterid.x", S::ctaid_x},
      {"%clusterid.y", S::ctaid_y},
      {"%clusterid.z", S::ctaid_z},
      {"%nclusterid.x", S::nctaid_x},
      {"%nclusterid.y", S::nctaid_y},
      {"%nclusterid.z", S::nctaid_z},
      {"%cluster_ctaid.x", S::zero},
      {"%cluster_ctaid.y", S::zero},
      {"%cluster_ctaid.z", S::zero},
      {"%cluster_nctaid.x", S::one},
      {"%cluster_nctaid.y", S::one},
      {"%cluster_nctaid.z", S::one},
      {"%cluster_ctarank", S::zero},
      {"%cluster_nctarank", S::one},
      {"%is_explicit_cluster", S::zero},
      {"%clock", S::clock},
      {"%clock_hi", S::clock_hi},
      {"%clock64", S::clock64},
      {"%globaltimer", S::globaltimer},
      {"%globaltimer_lo", S::clock},
      {"%globaltimer_hi", S::globaltimer_hi},
  };
  auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  if (name.rfind("%envreg", 0) == 0 || name.rfind("%pm", 0) == 0) return Special::zero;
  return Special::unknown;
}

bool is_reserved_shared(const std::string& name) { return name.starts_with("%reserved_smem"); }

bool changes_while_running(Special special) {
  return special >= Special::clock && special < Special::unknown;
}

bool changes_with_block(Special special) {
  return special == Special::ctaid_x || special == Special::ctaid_y || special == Special::ctaid_z ||
         special == Special::smid;
}

bool is_64_bit(Special special) {
  return special == Special::gridid || special == Special::clock64 || special == Special::globaltimer;
}

static std::uint32_t thread_index(Special special, const Warp& warp, std::uint32_t lane) {
  const Dim3& shape = warp.block->launch->block;
  const std::uint32_t thread = warp.index * kWarpSize + lane;
  if (special == Special::tid_x) return thread % shape.x;
  if (special == Special::tid_y) return thread / shape.x % shape.y;
  return thread / shape.x / shape.y;
}

std::uint64_t special_value(Special special, const Warp& warp, std::uint32_t lane, const LaunchFacts& facts) {
  const Block& block = *warp.block;
  const LaunchRequest& launch = *block.launch;
  switch (special) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      return thread_index(special, warp, lane);
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::ctaid_x:
      return block.index.x;
    case Special::ctaid_y:
      return block.index.y;
    case Special::ctaid_z:
      return block.index.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return 64;
    case Special::smid:
      return block.linear % facts.sm_count;
    case Special::nsmid:
      return facts.sm_count;
    case Special::gridid:
      return facts.grid_id;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return (2ull << lane) - 1;
    case Special::lanemask_lt:
      return (1ull << lane) - 1;
    case Special::lanemask_ge:
      return kFullMask << lane;
    case Special::lanemask_gt:
      return (std::uint64_t{kFullMask} << (lane + 1)) & kFullMask;
    case Special::dynamic_smem_size:
      return launch.dynamic_shared;
    case Special::total_smem_size:
      return block.shared_bytes;
    case Special::envreg1:
      return facts.grid_workspace >> 32;
    case Special::envreg2:
      return facts.grid_workspace & kFullMask;
    case Special::one:
      return 1;
    case Special::reserved_shared_middle:
      return kReservedShared / 2;
    case Special::reserved_shared_end:
      return kReservedShared;
    default:
      return 0;
  }
}

}  // namespace warpgrade::emulator
