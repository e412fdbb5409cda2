#include "ops/memory/resolve.hpp"

#include <bit>

#include "findings/fault.hpp"
#include "machine/memory/allocation_cache.hpp"
#include "machine/memory/local_window.hpp"
#include "machine/memory/shared_window.hpp"
#include "machine/trap.hpp"
#include "ops/alloca.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

using Kind = Access::Kind;

// One lane's access once its space is known.
struct Target {
  ptx::Space space = ptx::Space::none;
  std::uint64_t address = 0;  // device address, or offset in shared or local memory
  std::byte* host = nullptr;  // null: not accessible
  bool is_foreign = false;    // a generic address of another thread's local memory
  bool is_dead = false;       // … of the thread's own, where no running function has a variable
  Allocation* allocation = nullptr;
};

// Distance of each lane's window of local memory from lane 0's: a table, because vector units add it faster
// than they compute it.
struct NextWindows {
  alignas(64) std::uint64_t of[kWarpSize] = {};
};
constexpr NextWindows kNextWindows = [] {
  NextWindows made;
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) made.of[lane] = lane * kLocalWindowBytes;
  return made;
}();

class Resolver {
 public:
  Resolver(const ResolveRequest& request, Lanes& lanes) : r_(request), lanes_(lanes) {}

  void run() {
    if (r_.warp.active == 0 || !run_at_once()) run_each();
  }

 private:
  // Not inlined into run(), which then has registers for the loops of run_at_once().
  [[gnu::noinline]] void run_each() {
    std::uint32_t foreign = 0, dead = 0;
    for (std::uint32_t left = r_.warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const Target target = resolve_lane(lane);
      if (target.is_foreign) foreign |= 1u << lane;
      if (target.is_dead) dead |= 1u << lane;
      if (target.host == nullptr) fault(lane, target);
      lanes_.host[lane] = target.host;
      if (!target.is_foreign) note(lane, target);
    }
    if (foreign != 0) report_invalid_local(foreign);
    if (dead != 0) report_invalid_local(dead);
    if (r_.observed && !r_.form.has(AccessForm::unwatched)) report();
  }

  // An address a is in bounds where a - begin <= limit; its host address is base + lane · stride + a.
  struct Bounds {
    ptx::Space space = ptx::Space::none;
    std::uint64_t window = 0;     // base of a generic address's window, which is subtracted first
    std::uint64_t each_lane = 0;  // all bits: each lane's window begins kLocalWindowBytes further on
    std::uint64_t base = 0, begin = 0, limit = 0, stride = 0;
    Allocation* allocation = nullptr;
  };

  bool find_bounds(Bounds& bounds) const {
    const int lowest = std::countr_zero(r_.warp.active);
    const Target first = place(lowest, lanes_.address[lowest]);
    const unsigned bytes = r_.form.bytes;
    bounds.space = first.space;
    if (first.space == ptx::Space::shared) {
      bounds.window = r_.form.where() == ptx::Space::generic ? kSharedWindow : 0;
      bounds.base = reinterpret_cast<std::uint64_t>(r_.warp.block->shared);
      bounds.limit = r_.warp.block->shared_bytes - bytes;
      return r_.warp.block->shared_bytes >= bytes;
    }
    if (first.space == ptx::Space::local) {
      const bool generic = r_.form.where() == ptx::Space::generic;
      bounds.window = generic ? r_.warp.local_window : 0;
      bounds.each_lane = generic ? ~std::uint64_t{0} : 0;
      bounds.base = reinterpret_cast<std::uint64_t>(r_.warp.local);
      bounds.stride = r_.warp.local_bytes;
      const std::uint64_t end = generic ? frames_end() : r_.warp.local_bytes;
      bounds.limit = end - bytes;
      return end >= bytes;
    }
    if (first.space != ptx::Space::global) return false;
    const AllocationCache::CachedAllocation& last = r_.warp.block->observers->allocations.of(r_.at->index);
    if (last.allocation == nullptr || last.end - last.begin < bytes) return false;
    if (last.allocation->kind == Allocation::Kind::module_constant) return false;
    bounds.base = last.shift;
    bounds.begin = last.begin;
    bounds.limit = last.end - last.begin - bytes;
    bounds.allocation = last.allocation;
    return true;
  }

  // A plain loop where all lanes are active, so that the compiler vectorises it.
  template <class Action>
  void for_active(Action action) const {
    if (r_.warp.active == kFullMask) {
      for (int lane = 0; lane < kWarpSize; ++lane) action(lane);
      return;
    }
    for (std::uint32_t left = r_.warp.active; left != 0; left &= left - 1) action(std::countr_zero(left));
  }

  // Resolves all lanes and returns true if they are in one space and allocation, in bounds and aligned.
  // Returns false, without effect, otherwise.
  bool run_at_once() {
    Bounds bounds;
    if (!find_bounds(bounds)) return false;
    const std::uint32_t active = r_.warp.active;
    const std::uint64_t odd = r_.form.bytes - 1u;
    const std::uint64_t each_lane = bounds.each_lane;
    std::uint64_t bad = 0;
    alignas(64) std::uint64_t address[kWarpSize];
    for_active([&](int lane) {
      address[lane] = lanes_.address[lane] - bounds.window - (kNextWindows.of[lane] & each_lane);
      const std::uint64_t in = address[lane] - bounds.begin;
      // In the top bit: in > limit, which is below 2^63.
      bad |= (address[lane] & odd) | (in | (bounds.limit - in)) >> 63;
    });
    if (bad != 0) return false;
    const std::uint64_t base = bounds.base, stride = bounds.stride;
    if (stride == 0)
      for_active([&](int lane) { lanes_.host[lane] = reinterpret_cast<std::byte*>(base + address[lane]); });
    else
      for_active([&](int lane) {
        const std::uint64_t own = base + static_cast<std::uint64_t>(lane) * stride;
        lanes_.host[lane] = reinterpret_cast<std::byte*>(own + address[lane]);
      });
    if (r_.observed && !r_.form.has(AccessForm::unwatched))
      report(bounds.space, active, bounds.allocation, address);
    return true;
  }

  // Groups by space: 0 global, 1 shared, 2 local, 3 const.
  struct Group {
    std::uint32_t mask = 0;
    Allocation* allocation = nullptr;
    bool one_allocation = true;
    alignas(64) std::uint64_t address[kWarpSize];
  };

  Target resolve_lane(int lane) const {
    Target target = place(lane, lanes_.address[lane]);
    if ((target.address & (r_.form.bytes - 1u)) != 0) return target;
    switch (target.space) {
      case ptx::Space::shared:
        if (fits(target.address, r_.warp.block->shared_bytes))
          target.host = r_.warp.block->shared + target.address;
        break;
      case ptx::Space::local:
        if (fits(target.address, r_.warp.local_bytes))
          target.host = r_.warp.local + static_cast<std::size_t>(lane) * r_.warp.local_bytes + target.address;
        target.is_dead = !target.is_foreign && r_.form.where() == ptx::Space::generic &&
                         !fits(target.address, frames_end()) && !is_allocated(lane, target.address);
        break;
      default:
        device(target);
    }
    return target;
  }

  bool fits(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= bytes && bytes - offset >= r_.form.bytes;
  }

  // The space of an address; of a generic one by its window.
  Target place(int lane, std::uint64_t address) const {
    const ptx::Space space = r_.form.where();
    if (space != ptx::Space::generic) return {space, address};
    if (is_in_shared_window(address)) return {ptx::Space::shared, shared_offset(address)};
    if (!is_local(address)) return {ptx::Space::global, address};
    const bool foreign = local_owner(address) != local_owner(own_window(lane));
    return {ptx::Space::local, local_offset(address), nullptr, foreign};
  }

  // Where the local memory of the running function ends, which follows that of its callers.
  std::uint64_t frames_end() const {
    const WarpState& state = state_of(r_.warp);
    return state.top->base + state.run->code->functions[state.top->function].local_bytes;
  }

  // By alloca().
  bool is_allocated(int lane, std::uint64_t offset) const {
    const std::uint64_t in = offset - (r_.warp.local_bytes - kAllocaBytes);
    return in < state_of(r_.warp).alloca_top[lane] && r_.warp.local_bytes >= kAllocaBytes;
  }

  std::uint64_t own_window(int lane) const { return r_.warp.local_window + kNextWindows.of[lane]; }

  void device(Target& target) const {
    AllocationCache::CachedAllocation& entry = r_.warp.block->observers->allocations.of(r_.at->index);
    if (target.address < entry.begin || target.address >= entry.end ||
        entry.end - target.address < r_.form.bytes) {
      Allocation* found = r_.warp.block->memory->find(target.address);
      if (found == nullptr || found->freed || target.address < found->open_begin ||
          target.address >= found->open_end || found->open_end - target.address < r_.form.bytes)
        return;
      entry = {found->open_begin, found->open_end, found, found->shift};
    }
    target.allocation = entry.allocation;
    const bool constant = entry.allocation->kind == Allocation::Kind::module_constant;
    if (constant && r_.kind != Kind::read) return;
    if (constant) target.space = ptx::Space::constant;
    target.host = entry.allocation->at(target.address);
    // A kernel may free heap memory, in this block or another, so it is looked up every time.
    if (entry.allocation->kind == Allocation::Kind::device_heap) entry = {};
  }

  static int group_of(ptx::Space space) {
    return space == ptx::Space::shared     ? 1
           : space == ptx::Space::local    ? 2
           : space == ptx::Space::constant ? 3
                                           : 0;
  }

  void note(int lane, const Target& target) {
    if (!r_.observed) return;
    Group& group = groups_[group_of(target.space)];
    if (group.mask == 0) group.allocation = target.allocation;
    group.one_allocation &= group.allocation == target.allocation;
    group.mask |= 1u << lane;
    group.address[lane] = target.address;
  }

  void report() {
    constexpr ptx::Space spaces[] = {ptx::Space::global, ptx::Space::shared, ptx::Space::local,
                                     ptx::Space::constant};
    for (int i = 0; i < 4; ++i) {
      Group& group = groups_[i];
      if (group.mask == 0) continue;
      report(spaces[i], group.mask, group.one_allocation ? group.allocation : nullptr, group.address);
    }
  }

  void report(ptx::Space space, std::uint32_t mask, Allocation* allocation, const std::uint64_t* address) {
    Access access;
    access.at = r_.at;
    access.warp = &r_.warp;
    access.space = space;
    access.kind = r_.kind;
    access.is_volatile = r_.form.has(AccessForm::is_volatile);
    access.is_strong = r_.form.has(AccessForm::is_strong);
    access.releases = r_.form.has(AccessForm::releases);
    access.of_block = r_.form.has(AccessForm::of_block);
    access.is_async = r_.is_async;
    access.is_bulk = r_.is_bulk;
    access.is_data = r_.form.has(AccessForm::is_data);
    access.takes_lock = r_.form.has(AccessForm::takes_lock);
    access.bytes = r_.form.bytes;
    access.mask = mask;
    access.address = address;
    access.value = r_.value;
    access.allocation = allocation;
    r_.warp.block->observers->access(access);
  }

  Fault fault_of(int lane, const Target& target) const {
    Fault fault;
    fault.at = r_.at;
    fault.warp = &r_.warp;
    fault.lane = lane;
    fault.space = target.space;
    fault.address = target.address;
    fault.bytes = r_.form.bytes;
    fault.kind = r_.kind;
    return fault;
  }

  // As on a GPU, the lanes get what their own local memory holds there.
  void report_invalid_local(std::uint32_t lanes) {
    const int lane = std::countr_zero(lanes);
    Fault fault = fault_of(lane, resolve_lane(lane));
    fault.lanes = static_cast<std::uint32_t>(std::popcount(lanes));
    Block& block = *r_.warp.block;
    block.observers->report(block, explain_invalid_local(fault, lanes_.address[lane], own_window(lane)));
  }

  // An access behind all shared arrays lies next to the last one, and may be meant for another.
  Finding explained(const Fault& fault) const {
    Finding finding = explain(fault, r_.form.bytes);
    const bool is_behind = fault.space == ptx::Space::shared && finding.kind != FindingKind::misaligned &&
                           finding.memory.relation == Placement::after;
    const SharedArrayBounds* meant =
        is_behind ? r_.warp.block->observers->shared_array(r_.at->index) : nullptr;
    return meant ? explain_neighbour(fault, meant->begin, meant->end) : finding;
  }

  [[noreturn]] void fault(int lane, const Target& target) {
    Fault fault = fault_of(lane, target);
    fault.lanes = 0;
    for (std::uint32_t left = r_.warp.active; left != 0; left &= left - 1)
      fault.lanes += resolve_lane(std::countr_zero(left)).host == nullptr;
    Finding finding = explained(fault);
    const bool misaligned = finding.kind == FindingKind::misaligned;
    r_.warp.block->observers->report(*r_.warp.block, std::move(finding));
    throw Trap{misaligned ? LaunchStatus::misaligned_address : LaunchStatus::illegal_address};
  }

  const ResolveRequest& r_;
  Lanes& lanes_;
  Group groups_[4];
};

}  // namespace

void read_addresses(const Warp& warp, const DecodedInstruction* at, AccessForm form, std::uint64_t* address) {
  const std::uint64_t offset = at->immediate;
  if (form.has(AccessForm::wide_address)) {
    const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[kAddressOperand]);
    for (int lane = 0; lane < kWarpSize; ++lane) address[lane] = from[lane] + offset;
  } else {
    const std::uint32_t* from = warp.lanes<std::uint32_t>(at->operand[kAddressOperand]);
    const auto low = static_cast<std::uint32_t>(offset);
    for (int lane = 0; lane < kWarpSize; ++lane) address[lane] = from[lane] + low;
  }
}

void resolve(const ResolveRequest& request, Lanes& lanes) { Resolver(request, lanes).run(); }

}  // namespace warpgrade::emulator
