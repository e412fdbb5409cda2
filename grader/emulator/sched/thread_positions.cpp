// Findings about control flow: the position of each thread.
#include <bit>

#include "machine/observers.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

Site site_of(const Warp& warp, std::uint32_t lanes, const DecodedInstruction* at, const char* access) {
  Site site;
  site.instruction = at->index;
  site.block = warp.block->index;
  site.thread = thread_of(warp, lanes ? std::countr_zero(lanes) : 0);
  site.access = access;
  return site;
}

std::string describe(const Group& group, const Warp& warp) {
  if (group.state == Group::State::at_barrier) return "waits at barrier " + std::to_string(group.barrier);
  if (group.state == Group::State::runnable) return "can run";
  const Exchange& exchange = state_of(warp).exchange;
  const std::uint32_t missing = exchange.member[std::countr_zero(group.mask)] & warp.alive & ~group.mask;
  char lanes[16];
  std::snprintf(lanes, sizeof lanes, "0x%08x", missing);
  return std::string("waits in a warp operation for lanes ") + lanes;
}

}  // namespace

std::vector<ThreadPosition> thread_positions(const BlockRun& block) {
  std::vector<ThreadPosition> all;
  for (const Warp& warp : block.warp) {
    const WarpState& state = state_of(warp);
    for (std::uint32_t g = 0; g < state.groups; ++g) {
      const Group& group = state.group[g];
      all.push_back({warp.index, group.mask, site_of(warp, group.mask, group.waits_at, "barrier"),
                     describe(group, warp)});
    }
  }
  return all;
}

Finding finding_at(const Warp& warp, const DecodedInstruction* at, FindingKind kind, std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.site = site_of(warp, warp.active, at, check_of(kind) == Check::barrier ? "barrier" : "");
  finding.lanes = static_cast<std::uint32_t>(std::popcount(warp.active));
  return finding;
}

void fail(Warp& warp, Finding finding, LaunchStatus status) {
  warp.block->observers->report(*warp.block, std::move(finding));
  throw Trap{status};
}

}  // namespace warpgrade::emulator
