#include "checks/uninitialised/first_writers.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "machine/block.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {
namespace {

using Words = std::set<std::int64_t>;

// The first word that each thread stores by one instruction, and the distances of its later words from that.
struct StorePattern {
  std::map<std::uint32_t, Words> words;  // by thread
};

// word = origin + x·step[0] + y·step[1] + z·step[2]
struct LinearWords {
  std::int64_t origin = 0;
  std::int64_t step[3] = {};

  std::int64_t operator()(const std::int64_t (&at)[3]) const {
    return origin + at[0] * step[0] + at[1] * step[1] + at[2] * step[2];
  }
};

struct Coordinates {
  std::int64_t at[3];
};

Coordinates coordinates(const Dim3& size, std::uint32_t thread) {
  const Dim3 at = index_in(size, thread);
  return {{at.x, at.y, at.z}};
}

// The step of the word from one thread to its neighbour along an axis; 0 if no two neighbours show it.
std::int64_t step_along(int axis, const Dim3& size, const StorePattern& pattern) {
  const std::uint32_t apart = axis == 0 ? 1 : axis == 1 ? size.x : size.x * size.y;
  const std::uint32_t extent = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
  for (const auto& [thread, words] : pattern.words) {
    const auto beside = pattern.words.find(thread + apart);
    const bool is_last = coordinates(size, thread).at[axis] + 1 == extent;
    if (!is_last && beside != pattern.words.end()) return *beside->second.begin() - *words.begin();
  }
  return 0;
}

// Where each thread's first word lies, if that is linear for all threads that have stored.
std::optional<LinearWords> linear(const Dim3& size, const StorePattern& pattern) {
  LinearWords found;
  for (int axis = 0; axis < 3; ++axis) found.step[axis] = step_along(axis, size, pattern);
  const auto& [first, words] = *pattern.words.begin();
  found.origin = *words.begin() - found(coordinates(size, first).at);
  for (const auto& [thread, its] : pattern.words)
    if (found(coordinates(size, thread).at) != *its.begin()) return {};
  return found;
}

// A thread that has stored nothing by the pattern's instruction, though one of its words is `word`.
std::optional<std::uint32_t> missing_thread(const Dim3& size, const StorePattern& pattern,
                                            std::int64_t word) {
  constexpr std::size_t kEnough = 3;  // two threads always lie on a line
  if (pattern.words.size() < kEnough) return {};
  const std::optional<LinearWords> first_word = linear(size, pattern);
  if (!first_word) return {};
  Words later;  // words from a thread's first one
  for (const auto& [thread, words] : pattern.words)
    for (const std::int64_t each : words) later.insert(each - *words.begin());
  for (std::uint32_t thread = 0; thread < size.count(); ++thread)
    if (!pattern.words.contains(thread) && later.contains(word - (*first_word)(coordinates(size, thread).at)))
      return thread;
  return {};
}

}  // namespace

void FirstWriters::block_begin(std::uint32_t bytes) { words_.assign(bytes / 4 + 1, {}); }

void FirstWriters::note(const Access& access) {
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t first = access.of(lane) / 4, last = (access.of(lane) + access.bytes - 1) / 4;
    for (std::uint64_t word = first; word <= last && word < words_.size(); ++word)
      if (words_[word].thread == kNobody)
        words_[word] = {access.at->index, access.warp->index * kWarpSize + lane,
                        access.kind == Access::Kind::atomic};
  }
}

std::optional<FirstWriters::Writer> FirstWriters::missing_writer(const Block& block, std::uint64_t offset,
                                                                 ArrayRange array) const {
  std::map<std::uint32_t, StorePattern> stores;  // by instruction
  for (std::uint64_t word = array.begin / 4; word * 4 < array.end && word < words_.size(); ++word)
    if (words_[word].thread != kNobody)
      stores[words_[word].instruction].words[words_[word].thread].insert(static_cast<std::int64_t>(word));
  for (const auto& [instruction, pattern] : stores)
    if (const auto thread =
            missing_thread(block.launch->block, pattern, static_cast<std::int64_t>(offset / 4)))
      return Writer{.instruction = instruction, .thread = *thread};
  return {};
}

std::optional<std::vector<WrittenBytes>> FirstWriters::written(ArrayRange array) const {
  constexpr std::size_t kMost = 64;
  std::vector<WrittenBytes> found;
  for (std::uint64_t word = array.begin / 4; word * 4 < array.end && word < words_.size(); ++word) {
    if (words_[word].thread == kNobody || words_[word].is_update) continue;
    const std::uint64_t first = std::max(word * 4, array.begin), end = std::min(word * 4 + 4, array.end);
    if (found.empty() || array.begin + found.back().offset + found.back().bytes != first) {
      if (found.size() == kMost) return {};
      found.push_back({first - array.begin, 0});
    }
    found.back().bytes += end - first;
  }
  return found;
}

}  // namespace warpgrade::emulator
