#include "observe/knowledge.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace warpgrade::observe {
namespace {

// Beyond so many, one that holds all of them takes their place: chains (a lock that is taken again and
// again) stay short.
constexpr std::uint32_t kMostReached = 2048;

bool say(const Knowledge::Clocks& clocks, std::uint64_t block, std::uint32_t warp, std::uint32_t time) {
  const auto found =
      std::lower_bound(clocks.begin(), clocks.end(), block,
                       [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
  return found != clocks.end() && found->first == block && warp < found->second.size() &&
         time < found->second[warp];
}

bool says(const Knowledge& one, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
          std::uint32_t time) {
  return say(one.blocks, block, warp, time) || (reader == block && say(one.within, block, warp, time));
}

// Holds by itself all that it reaches.
void flatten(Knowledge& to) {
  if (to.size == 1) return;
  std::map<std::uint64_t, WarpClock> all, within;
  std::unordered_set<const Knowledge*> seen;
  std::vector<const Knowledge*> next = {&to};
  while (!next.empty()) {
    const Knowledge& one = *next.back();
    next.pop_back();
    for (const auto& [block, clock] : one.blocks) raise(all[block], clock);
    for (const auto& [block, clock] : one.within) raise(within[block], clock);
    for (const Knowledge::Pointer& older : one.older)
      if (older && seen.insert(older.get()).second) next.push_back(older.get());
  }
  to.blocks.assign(all.begin(), all.end());
  to.within.assign(within.begin(), within.end());
  to.size = 1;
  for (Knowledge::Pointer& older : to.older) older.reset();
}

std::uint32_t reached(const Knowledge& from) {
  std::uint32_t size = 1;
  for (const Knowledge::Pointer& older : from.older)
    if (older) size += older->size;
  return size;
}

// The older ones are put together first: others hold them too, and will ask the same of them.
Knowledge::Pointer settle(Knowledge::Pointer made) {
  made->size = reached(*made);
  if (made->size <= kMostReached) return made;
  for (const Knowledge::Pointer& older : made->older)
    if (older) flatten(*older);
  made->size = reached(*made);
  return made;
}

// Is `wanted` found in a few steps? A warp that polls a barrier of two words joins the same two for ever.
bool holds(const Knowledge::Pointer& from, const Knowledge::Pointer& wanted, unsigned steps = 4) {
  if (from == wanted) return true;
  if (!from || steps == 0) return false;
  return holds(from->older[0], wanted, steps - 1) || holds(from->older[1], wanted, steps - 1);
}

}  // namespace

// Long chains are taken apart one after the other: the stack would not hold them.
Knowledge::~Knowledge() {
  std::vector<Pointer> left;
  const auto take = [&](Knowledge& from) {
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

Knowledge::Pointer join(const Knowledge::Pointer& a, const Knowledge::Pointer& b) {
  if (!a) return b;
  if (!b || holds(a, b)) return a;
  if (holds(b, a)) return b;
  auto made = std::make_shared<Knowledge>();
  made->older[0] = a;
  made->older[1] = b;
  return settle(std::move(made));
}

Knowledge::Pointer extend(const Knowledge::Pointer& known, std::uint64_t block, WarpClock clock,
                          bool within_block) {
  auto made = std::make_shared<Knowledge>();
  (within_block ? made->within : made->blocks).emplace_back(block, std::move(clock));
  made->older[0] = known;
  return settle(std::move(made));
}

// The newest say it most often: who held the lock last. Otherwise all is put together, once for all who hold
// the same: the blocks of a grid that have met at a barrier.
bool knows(const Knowledge::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time) {
  if (!known) return false;
  if (says(*known, reader, block, warp, time)) return true;
  for (const Knowledge::Pointer& older : known->older) {
    if (!older) continue;
    if (says(*older, reader, block, warp, time)) return true;
    for (const Knowledge::Pointer& oldest : older->older)
      if (oldest && says(*oldest, reader, block, warp, time)) return true;
  }
  if (known->size == 1) return false;
  for (const Knowledge::Pointer& older : known->older)
    if (older && older->size > 8) flatten(*older);
  flatten(*known);
  return says(*known, reader, block, warp, time);
}

}  // namespace warpgrade::observe
