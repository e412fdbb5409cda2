#include "checks/shared_race/phase_arrivals.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "checks/shared_race/finding.hpp"
#include "findings/fault.hpp"
#include "machine/block_checks.hpp"

namespace warpgrade::emulator {
namespace {

void report(const MbarrierArrival& arrival, std::uint32_t lane, std::uint32_t thread,
            std::uint32_t instruction) {
  const Block& block = *arrival.warp->block;
  BlockChecks& to = checks_of(block);
  if (to.again(FindingKind::unordered_arrival, arrival.at->index) != nullptr || to.full()) return;
  Finding finding;
  finding.kind = FindingKind::unordered_arrival;
  finding.site.instruction = arrival.at->index;
  finding.site.block = block.index;
  finding.site.thread = thread_of(*arrival.warp, static_cast<int>(lane));
  finding.site.access = "arrival";
  finding.has_other = true;
  finding.other.instruction = instruction;
  finding.other.block = block.index;
  finding.other.thread = index_in(block.launch->block, thread);
  finding.other.access = "arrival";
  finding.memory = describe(block, arrival.warp, ptx::Space::shared, arrival.offset, 8);
  finding.lanes = static_cast<std::uint32_t>(std::popcount(arrival.lanes));
  finding.message = "thread " + to_text(finding.site.thread) + " arrives at the mbarrier at " +
                    place_words(finding.memory, "shared memory") +
                    " without having waited for its last phase, in which thread " +
                    to_text(finding.other.thread) +
                    " arrived: either could have come first, so that the phase was over without the other";
  to.add(std::move(finding));
}

}  // namespace

std::uint32_t PhaseArrivals::unordered(const ArrivedLanes& earlier, std::uint32_t warp, std::uint32_t lane,
                                       const VectorClockHistory& order) {
  if (earlier.time < order.clock(warp)[earlier.warp]) return 0;
  if (earlier.warp != warp) return earlier.lanes;
  std::uint32_t found = earlier.lanes & ~(1u << lane);
  const LaneClock* lanes = order.lane_clock(warp);
  for (std::uint32_t left = lanes == nullptr ? 0 : found; left != 0; left &= left - 1)
    if (earlier.time < lanes->before(lane, static_cast<std::uint32_t>(std::countr_zero(left))))
      found &= ~(left & -left);
  return found;
}

std::uint32_t PhaseArrivals::first_unordered(const ArrivedLanes& earlier, const MbarrierArrival& arrival,
                                             const VectorClockHistory& order) {
  for (std::uint32_t left = arrival.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (unordered(earlier, arrival.warp->index, lane, order) != 0) return lane;
  }
  return kWarpSize;
}

void PhaseArrivals::arrived(const MbarrierArrival& arrival, const VectorClockHistory& order) {
  Phases& of = barriers_[arrival.offset];
  if (std::exchange(of.phase, arrival.phase) != arrival.phase) of.last = std::exchange(of.current, {});
  const std::uint32_t warp = arrival.warp->index;
  for (const ArrivedLanes& each : of.last) {
    const std::uint32_t lane = first_unordered(each, arrival, order);
    if (lane == kWarpSize) continue;
    const auto other = static_cast<std::uint32_t>(std::countr_zero(unordered(each, warp, lane, order)));
    return report(arrival, lane, each.warp * kWarpSize + other, each.instruction);
  }
  // An arrival is a release: the warp's clock has advanced since.
  const std::uint32_t time = order.now(warp) - 1;
  const auto same = [&](const ArrivedLanes& each) {
    return each.warp == warp && each.instruction == arrival.at->index;
  };
  auto known = std::find_if(of.current.begin(), of.current.end(), same);
  if (known == of.current.end()) known = of.current.insert(known, {warp, 0, arrival.at->index, 0});
  known->lanes |= arrival.lanes;
  known->time = time;
}

}  // namespace warpgrade::emulator
