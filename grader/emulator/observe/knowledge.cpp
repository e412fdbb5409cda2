#include "observe/knowledge.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace warpgrade::observe {
namespace {

// Beyond so many, one that holds all of them takes their place: chains (a lock that is taken again and
// again) stay short.
constexpr std::uint32_t kMostReached = 2048;

// Calls use(node) for each that is reached, the newest first, until it says true.
template <class Use>
bool visit(const Knowledge* from, Use use) {
  std::unordered_set<const Knowledge*> seen;
  std::vector<const Knowledge*> next;
  for (const Knowledge* at = from; at != nullptr;) {
    if (use(*at)) return true;
    for (const Knowledge::Pointer& older : at->older)
      if (older && seen.insert(older.get()).second) next.push_back(older.get());
    at = next.empty() ? nullptr : next.back();
    if (!next.empty()) next.pop_back();
  }
  return false;
}

// What only one block may know is taken for known to all from here on: that can hide a race, never invent
// one.
Knowledge::Pointer flatten(const Knowledge& from) {
  std::map<std::uint64_t, WarpClock> all;
  visit(&from, [&](const Knowledge& each) {
    for (const auto& [block, clock] : each.blocks) raise(all[block], clock);
    return false;
  });
  auto made = std::make_shared<Knowledge>();
  made->blocks.assign(all.begin(), all.end());
  return made;
}

Knowledge::Pointer settle(std::shared_ptr<Knowledge> made) {
  for (const Knowledge::Pointer& older : made->older)
    if (older) made->size += older->size;
  if (made->size > kMostReached) return flatten(*made);
  return made;
}

}  // namespace

// Long chains are taken apart one after the other: the stack would not hold them.
Knowledge::~Knowledge() {
  std::vector<Pointer> left;
  for (Pointer& each : older)
    if (each) left.push_back(std::move(each));
  while (!left.empty()) {
    const Pointer one = std::move(left.back());
    left.pop_back();
    if (one.use_count() != 1) continue;
    for (Pointer& each : const_cast<Knowledge&>(*one).older)
      if (each) left.push_back(std::move(each));
  }
}

Knowledge::Pointer join(const Knowledge::Pointer& a, const Knowledge::Pointer& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  for (const Knowledge::Pointer& each : a->older)
    if (each == b) return a;
  for (const Knowledge::Pointer& each : b->older)
    if (each == a) return b;
  auto made = std::make_shared<Knowledge>();
  made->older[0] = a;
  made->older[1] = b;
  return settle(std::move(made));
}

Knowledge::Pointer extend(const Knowledge::Pointer& known, std::uint64_t block, WarpClock clock,
                          std::uint64_t only_block) {
  auto made = std::make_shared<Knowledge>();
  made->blocks.emplace_back(block, std::move(clock));
  made->older[0] = known;
  made->only_block = only_block;
  return settle(std::move(made));
}

bool knows(const Knowledge::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time) {
  return visit(known.get(), [&](const Knowledge& each) {
    if (each.only_block != Knowledge::kAnyBlock && each.only_block != reader) return false;
    const auto found =
        std::lower_bound(each.blocks.begin(), each.blocks.end(), block,
                         [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
    return found != each.blocks.end() && found->first == block && warp < found->second.size() &&
           time < found->second[warp];
  });
}

}  // namespace warpgrade::observe
