#include "checks/global_race/happens_before.hpp"

#include <utility>
#include <vector>

namespace warpgrade::emulator {
namespace {

// Longer chains are replaced by one set that holds all entries, so that a lock that is taken again and again
// keeps short chains.
constexpr std::uint32_t kMostReached = 2048;

bool is_before(const HappensBefore& one, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
               std::uint32_t time) {
  const bool may_rely = reader == block;
  if (one.block == block && (may_rely || !one.within_block) && warp < one.clock.size() &&
      time < one.clock[warp])
    return true;
  return one.blocks.is_before(block, warp, time) || (may_rely && one.within.is_before(block, warp, time));
}

// Adds the entries of one set, without those of older sets, to `to`.
void add(HappensBefore& to, const HappensBefore& one) {
  to.blocks = later(to.blocks, one.blocks);
  to.within = later(to.within, one.within);
  ClockMap& own = one.within_block ? to.within : to.blocks;
  if (!one.clock.empty()) own = own.raised(one.block, one.clock);
}

// Copies all entries that are reachable from a set into the set, and into every set on the way: those are
// shared and will be queried for the same entries.
void flatten(HappensBefore& to) {
  std::vector<HappensBefore*> path = {&to};
  while (!path.empty()) {
    HappensBefore& one = *path.back();
    HappensBefore* before = nullptr;
    for (const HappensBefore::Pointer& older : one.older)
      if (older && older->size > 1) before = older.get();
    if (before != nullptr) {
      path.push_back(before);
      continue;
    }
    for (HappensBefore::Pointer& older : one.older) {
      if (older) add(one, *older);
      older.reset();
    }
    one.size = 1;
    path.pop_back();
  }
}

std::uint32_t reached(const HappensBefore& from) {
  std::uint32_t size = 1;
  for (const HappensBefore::Pointer& older : from.older)
    if (older) size += older->size;
  return size;
}

HappensBefore::Pointer limit_chain(HappensBefore::Pointer made) {
  made->size = reached(*made);
  if (made->size <= kMostReached) return made;
  for (const HappensBefore::Pointer& older : made->older)
    if (older) flatten(*older);
  made->size = reached(*made);
  return made;
}

// Whether `wanted` is reachable in a few steps: a warp that polls two words joins the same two sets
// repeatedly.
bool holds(const HappensBefore::Pointer& from, const HappensBefore::Pointer& wanted, unsigned steps = 4) {
  if (from == wanted) return true;
  if (!from || steps == 0) return false;
  return holds(from->older[0], wanted, steps - 1) || holds(from->older[1], wanted, steps - 1);
}

}  // namespace

// Destroys long chains in a loop: recursion would overflow the stack.
HappensBefore::~HappensBefore() {
  std::vector<Pointer> left;
  const auto take = [&](HappensBefore& from) {
    for (Pointer& each : from.older)
      if (each) left.push_back(std::move(each));
  };
  take(*this);
  while (!left.empty()) {
    const Pointer one = std::move(left.back());
    left.pop_back();
    if (one.use_count() == 1) take(*one);
  }
}

HappensBefore::Pointer join(const HappensBefore::Pointer& a, const HappensBefore::Pointer& b) {
  if (!a) return b;
  if (!b || holds(a, b)) return a;
  if (holds(b, a)) return b;
  auto made = std::make_shared<HappensBefore>();
  made->older[0] = a;
  made->older[1] = b;
  return limit_chain(std::move(made));
}

HappensBefore::Pointer extend(const HappensBefore::Pointer& known, std::uint64_t block, WarpClock clock,
                              bool within_block) {
  auto made = std::make_shared<HappensBefore>();
  made->block = block;
  made->clock = std::move(clock);
  made->within_block = within_block;
  made->older[0] = known;
  return limit_chain(std::move(made));
}

// Most queries are answered by the newest entries: the last holders of the lock. Otherwise all entries are
// merged, once for all who share the set: the blocks of a grid that have synchronised at a barrier.
bool knows(const HappensBefore::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time) {
  if (!known) return false;
  if (is_before(*known, reader, block, warp, time)) return true;
  for (const HappensBefore::Pointer& older : known->older) {
    if (!older) continue;
    if (is_before(*older, reader, block, warp, time)) return true;
    for (const HappensBefore::Pointer& oldest : older->older)
      if (oldest && is_before(*oldest, reader, block, warp, time)) return true;
  }
  if (known->size == 1) return false;
  flatten(*known);
  return is_before(*known, reader, block, warp, time);
}

}  // namespace warpgrade::emulator
