#include "ops/undefined_shuffle.hpp"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <utility>

#include "machine/observers.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

// The reason why the source lane has no value.
std::string reason(const Warp& warp, const Exchange& exchange, int lane, std::uint32_t source) {
  const std::uint32_t threads = warp.block->threads;
  if (warp.index * kWarpSize + source >= threads)
    return "which does not exist, as the block has " + std::to_string(threads) + " threads";
  if ((warp.alive >> source & 1) == 0) return "which has returned";
  if ((exchange.together >> source & 1) == 0) return "which does not call this shuffle";
  char mask[16];
  std::snprintf(mask, sizeof mask, "0x%08" PRIx32, exchange.member[lane]);
  return std::string("which is not in the mask ") + mask;
}

}  // namespace

void note_undefined_shuffle(Warp& warp, const DecodedInstruction* at, const Exchange& exchange,
                            std::uint32_t lanes, std::uint32_t source) {
  BlockRun& run = *state_of(warp).run;
  if (!run.check_barrier || run.shadow == nullptr) return;
  const std::uint32_t active = std::exchange(warp.active, lanes);
  const int lane = std::countr_zero(lanes);
  Finding finding =
      finding_at(warp, at, FindingKind::undefined_shuffle,
                 "Lane " + std::to_string(lane) + " takes the value of lane " + std::to_string(source) +
                     ", " + reason(warp, exchange, lane, source) + ": what it gets is undefined.");
  finding.site.access = "shuffle";
  finding.lanes = static_cast<std::uint32_t>(std::popcount(lanes));
  const std::uint32_t read = run.observers->undefined_shuffle(warp, std::move(finding));
  warp.active = active;
  if (read == ShadowExecution::kNoRead) return;
  if (!run.undefined) run.undefined = run.shadow->start(run);
  run.undefined->undefine(warp, at, lanes, read);
}

const DecodedInstruction* follow_undefined(const Warp& warp, const DecodedInstruction* next) {
  const BlockRun& run = *state_of(warp).run;
  const bool stepped = run.observers->following != nullptr;
  if (next == nullptr || stepped || !run.undefined || !run.undefined->any(warp)) return next;
  throw ShadowRestart{next, false};
}

}  // namespace warpgrade::emulator
