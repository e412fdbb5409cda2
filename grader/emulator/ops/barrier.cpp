// bar.sync, bar.arrive, bar.red. PTX ISA 9.7.13.1.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "machine/observers.hpp"
#include "ops/control.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

// A barrier with a thread count counts whole warps: a warp counts as 32 threads once all its live lanes have
// arrived. A barrier without a count waits for every thread of the block that has not exited.
bool is_complete(const BlockRun& block, const Barrier& barrier) {
  if (barrier.arrived == 0) return false;
  if (barrier.expected == 0) return barrier.arrived == block.alive_threads;
  std::uint32_t threads = 0;
  for (std::uint32_t w = 0; w < block.warps; ++w) {
    const std::uint32_t mask = barrier.masks[w];
    if (mask == 0) continue;
    const std::uint32_t alive = block.warp[w].alive;
    threads += (mask & alive) == alive ? kWarpSize : static_cast<std::uint32_t>(std::popcount(mask));
  }
  return threads >= barrier.expected;
}

// Instructions at which lanes arrived at the barrier, in the order of the warps.
std::vector<ThreadPosition> standing_at(const BlockRun& block, std::uint32_t id) {
  std::vector<ThreadPosition> all = thread_positions(block);
  const std::string here = "waits at barrier " + std::to_string(id);
  std::erase_if(all, [&](const ThreadPosition& standing) { return standing.state != here; });
  return all;
}

// Reports that threads arrived at different bar.sync instructions. The manual requires the same instruction
// for `.aligned`, so this is a fault, although the hardware only counts arrivals and lets the threads pass.
void report_divergent(BlockRun& block, std::uint32_t id) {
  std::vector<ThreadPosition> standing = standing_at(block, id);
  if (standing.empty()) return;
  const Barrier& barrier = block.barrier[id];
  bool within_warp = false;
  std::uint32_t elsewhere = 0, total = 0;
  const ThreadPosition* other = nullptr;
  for (std::size_t i = 0; i < standing.size(); ++i) {
    total += static_cast<std::uint32_t>(std::popcount(standing[i].lanes));
    if (standing[i].site.instruction != barrier.first->index) {
      elsewhere += static_cast<std::uint32_t>(std::popcount(standing[i].lanes));
      if (!other) other = &standing[i];
    }
    for (std::size_t j = 0; j < i; ++j) {
      within_warp = within_warp || (standing[j].warp == standing[i].warp &&
                                    standing[j].site.instruction != standing[i].site.instruction);
    }
  }
  if (!other) return;
  Finding finding;
  finding.kind = FindingKind::barrier_divergent;
  finding.message =
      "Threads of one block wait at different __syncthreads(): " + std::to_string(total - elsewhere) +
      " at one, " + std::to_string(elsewhere) + " elsewhere" +
      (within_warp ? ", some of them in the same warp." : ".");
  for (const ThreadPosition& one : standing) {
    if (one.site.instruction == barrier.first->index) finding.site = one.site;
  }
  finding.site.instruction = barrier.first->index;
  finding.has_other = true;
  finding.other = other->site;
  finding.standing = std::move(standing);
  block.observers->report(block, std::move(finding));
}

void report_partial(BlockRun& block, std::uint32_t id) {
  const Barrier& barrier = block.barrier[id];
  for (Warp& warp : block.warp) {
    const std::uint32_t here = barrier.masks[warp.index] & warp.alive;
    if (here == 0 || here == warp.alive) continue;
    const std::uint32_t active = warp.active;
    warp.active = here;
    Finding finding =
        finding_at(warp, barrier.first, FindingKind::barrier_partial_warp,
                   std::to_string(std::popcount(here)) + " of the " +
                       std::to_string(std::popcount(warp.alive)) + " threads of a warp arrived at barrier " +
                       std::to_string(id) + "; it must be reached by all or none.");
    warp.active = active;
    finding.standing = thread_positions(block);
    block.observers->report(block, std::move(finding));
    return;
  }
}

// Lanes that branch `number` led past this barrier and that did not reach it later, or that reached it only
// after the other lanes of their warp, which only barriers without .aligned allow.
std::uint32_t find_passers(const BlockRun& block, std::uint32_t number, const Barrier& barrier,
                           std::uint32_t w) {
  const std::uint32_t passed = block.passed[number * block.warps + w], arrived = barrier.masks[w];
  const bool mixed = barrier.aligned && (arrived & passed) != 0 && (arrived & ~passed) != 0;
  return mixed ? passed : passed & ~arrived;
}

void report_passed(BlockRun& block, const Barrier& barrier, const Watched& branch, std::uint32_t number) {
  std::uint32_t passers = 0, straight = 0;
  bool within_warp = false;
  Finding finding;
  for (Warp& warp : block.warp) {
    const std::uint32_t w = warp.index, passing = find_passers(block, number, barrier, w);
    const std::uint32_t came = barrier.masks[w] & ~block.passed[number * block.warps + w];
    const std::uint32_t active = warp.active;
    if (passing != 0 && passers == 0) {
      warp.active = passing;
      finding.other = finding_at(warp, block.code->instructions.data() + branch.position,
                                 FindingKind::barrier_divergent, {})
                          .site;
    }
    if (came != 0 && straight == 0) {
      warp.active = came;
      finding.site = finding_at(warp, barrier.first, FindingKind::barrier_divergent, {}).site;
    }
    warp.active = active;
    within_warp = within_warp || (passing != 0 && came != 0);
    passers += static_cast<std::uint32_t>(std::popcount(passing));
    straight += static_cast<std::uint32_t>(std::popcount(came));
  }
  if (passers == 0 || straight == 0) return;
  // Whole warps that have returned are not waited for.
  if (!within_warp && branch.leaves_loop) return;
  finding.kind = within_warp ? FindingKind::barrier_partial_warp : FindingKind::barrier_divergent;
  finding.message = std::to_string(straight) + " threads of the block waited at __syncthreads() while " +
                    std::to_string(passers) + " others passed it by" +
                    (within_warp ? ", some of them in the same warp." : ".");
  finding.has_other = true;
  finding.lanes = straight;
  block.observers->report(block, std::move(finding));
}

void check_passed(BlockRun& block, const Barrier& barrier) {
  const std::vector<Watched>& watched = block.code->watched;
  for (std::uint32_t number = 0; number < watched.size(); ++number) {
    const std::vector<std::uint32_t>& barriers = watched[number].barriers;
    if (std::find(barriers.begin(), barriers.end(), barrier.first->index) == barriers.end()) continue;
    report_passed(block, barrier, watched[number], number);
  }
}

void check_arrivals(BlockRun& block, std::uint32_t id) {
  if (!block.check_barrier) return;
  const Barrier& barrier = block.barrier[id];
  if (barrier.mixed && barrier.aligned && barrier.expected == 0) report_divergent(block, id);
  if (barrier.aligned && barrier.expected != 0) report_partial(block, id);
  if (block.any_passed && barrier.expected == 0) check_passed(block, barrier);
}

void store_reduction(const Warp& warp, const Group& group, const Barrier& barrier) {
  const DecodedInstruction& at = *group.waits_at;
  if (at.operand[0] == kNoOperand) return;
  if (at.immediate & control::kReducePopc) {
    auto* to = reinterpret_cast<std::uint32_t*>(group.top->frame + at.operand[0]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (group.mask >> lane & 1) to[lane] = barrier.popc;
    }
    return;
  }
  auto& to = *reinterpret_cast<std::uint32_t*>(group.top->frame + at.operand[0]);
  const bool value = at.immediate & control::kReduceAnd ? barrier.all : barrier.any;
  to = value ? to | group.mask : to & ~group.mask;
  static_cast<void>(warp);
}

// Reports the barrier to the observers. A warp that executed only bar.arrive is not ordered after the others.
// A warp counts as waiting if any of its lanes waits.
void notify_observers(BlockRun& block, std::uint32_t id) {
  Barrier& barrier = block.barrier[id];
  bool all_wait = true;
  for (std::uint32_t w = 0; w < block.warps; ++w) {
    if (barrier.masks[w] == 0 || (barrier.waiting >> w & 1u) != 0) continue;
    barrier.masks[w] = 0;
    all_wait = false;
  }
  // A barrier with a thread count does not wait for threads that have returned, and is not ordered after
  // them.
  const bool of_all = barrier.expected == 0 || block.alive_threads == block.threads;
  if (of_all && all_wait && barrier.arrived == block.alive_threads)
    block.observers->block_barrier(block, barrier.first);
  else
    block.observers->partial_barrier(block, id, barrier.masks.data());
}

void open(BlockRun& block, std::uint32_t id) {
  Barrier& barrier = block.barrier[id];
  check_arrivals(block, id);
  notify_observers(block, id);
  if (block.any_passed && barrier.expected == 0) {
    std::fill(block.passed.begin(), block.passed.end(), 0);
    block.any_passed = false;
  }
  for (Warp& warp : block.warp) {
    if (barrier.masks[warp.index] == 0) continue;
    barrier.masks[warp.index] = 0;
    WarpState& state = state_of(warp);
    for (std::uint32_t g = 0; g < state.groups; ++g) {
      Group& group = state.group[g];
      if (group.state != Group::State::at_barrier || group.barrier != id) continue;
      store_reduction(warp, group, barrier);
      group.state = Group::State::runnable;
      ++state.runnable;
      state.settled_below = 0;
    }
  }
  barrier.arrived = barrier.expected = barrier.waiting = 0;
  barrier.first = nullptr;
  --block.open_barriers;
}

// Whether a path without a loop's back edge leads from one basic block to another.
bool leads_to(const ControlFlow& flow, std::uint32_t from, std::uint32_t to) {
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<std::uint32_t> work{from};
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (const std::uint32_t next : flow.blocks[at].successors)
      if (flow.loop_of_edge(at, next) < 0) work.push_back(next);
  }
  return false;
}

// Whether a thread executes one of the two instructions or the other, not both: copies in an unrolled loop
// follow one another.
bool in_different_branches(const BlockRun& block, const DecodedInstruction* a, const DecodedInstruction* b) {
  const Origin &one = block.program->origin(a->index), &other = block.program->origin(b->index);
  if (one.function < 0 || one.function != other.function) return false;
  const ptx::Function& function = block.program->module().functions[static_cast<std::size_t>(one.function)];
  const ControlFlow flow = build_control_flow(function);
  const auto block_of = [&](const Origin& origin) {
    return flow.block_of[static_cast<std::size_t>(origin.ptx - function.instructions.data())];
  };
  const std::uint32_t from = block_of(one), to = block_of(other);
  return !leads_to(flow, from, to) && !leads_to(flow, to, from);
}

// Whether two barrier instructions have the same place in the source.
bool same_place(const BlockRun& block, const DecodedInstruction* a, const DecodedInstruction* b) {
  const ptx::Location *one = block.program->location(a->index), *other = block.program->location(b->index);
  for (const std::vector<ptx::Location>& all = block.program->module().locations; one && other;) {
    if (one == other) return true;
    if (one->file != other->file || one->line != other->line || one->column != other->column) return false;
    if (one->inlined_at < 0 && other->inlined_at < 0) return true;
    one = one->inlined_at < 0 ? nullptr : &all[static_cast<std::size_t>(one->inlined_at)];
    other = other->inlined_at < 0 ? nullptr : &all[static_cast<std::size_t>(other->inlined_at)];
  }
  return false;
}

// Whether a barrier instruction comes from the same barrier in the source as the first: unrolled loops repeat
// it. Two branches on one line have a barrier each.
bool same_in_source(const BlockRun& block, Barrier& barrier, const DecodedInstruction* at) {
  if (at == barrier.first || at == barrier.alike) return true;
  if (!same_place(block, barrier.first, at) || in_different_branches(block, barrier.first, at)) return false;
  barrier.alike = at;
  return true;
}

void arrive_at(Warp& warp, Barrier& barrier, const DecodedInstruction* at) {
  BlockRun& block = *state_of(warp).run;
  if (barrier.arrived == 0) {
    ++block.open_barriers;
    barrier.first = at;
    barrier.alike = nullptr;
    barrier.mixed = false;
    barrier.aligned = false;
    barrier.popc = 0;
    barrier.all = true;
    barrier.any = false;
  }
  barrier.mixed = barrier.mixed || !same_in_source(block, barrier, at);
  barrier.aligned = barrier.aligned || (at->immediate & control::kAligned);
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(warp.active));
  barrier.masks[warp.index] |= warp.active;
  if (at->operand[2] != kNoOperand) {
    barrier.expected = warp.lanes<std::uint32_t>(at->operand[2])[std::countr_zero(warp.active)];
  }
  if (at->operand[3] == kNoOperand) return;
  std::uint32_t set = warp.mask(at->operand[3]);
  if (at->immediate & control::kNegated) set = ~set;
  set &= warp.active;
  barrier.popc += static_cast<std::uint32_t>(std::popcount(set));
  barrier.all = barrier.all && set == warp.active;
  barrier.any = barrier.any || set != 0;
}

}  // namespace

void check_barriers(BlockRun& block) {
  for (std::uint32_t id = 0; id < 16; ++id) {
    if (is_complete(block, block.barrier[id])) open(block, id);
  }
}

const DecodedInstruction* control::barrier(Warp& warp, const DecodedInstruction* at) {
  BlockRun& block = *state_of(warp).run;
  const std::uint32_t id = warp.lanes<std::uint32_t>(at->operand[1])[std::countr_zero(warp.active)];
  if (id > 15) {
    fail(warp,
         finding_at(warp, at, FindingKind::barrier_divergent,
                    "The kernel named barrier " + std::to_string(id) + "; a block has barriers 0 to 15."),
         LaunchStatus::illegal_instruction);
  }
  Barrier& barrier = block.barrier[id];
  arrive_at(warp, barrier, at);
  const bool waits = !(at->immediate & kArriveOnly);
  if (waits) {
    Group& group = suspend_group(warp, at + 1, Group::State::at_barrier);
    group.waits_at = at;
    group.barrier = static_cast<std::uint8_t>(id);
    barrier.waiting |= 1u << warp.index;
  } else {
    block.observers->arrival(warp, id);
  }
  if (is_complete(block, barrier)) open(block, id);
  return waits ? next_group(warp) : at + 1;
}

}  // namespace warpgrade::emulator
