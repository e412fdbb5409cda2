// The thread that took each lock of a launch last, for the report of a livelock.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "machine/finding.hpp"

namespace warpgrade::emulator {

class LockHolders {
 public:
  // Records that a compare-and-swap of constants changed the word at this host address. `by`: the thread and
  // instruction that executed it.
  void take(const std::byte* word, const Site& by) {
    const std::lock_guard lock(mutex_);
    last_[word] = by;
  }
  // The last thread that took the lock; empty if no thread of the launch has.
  std::optional<Site> last(const std::byte* word) const {
    const std::lock_guard lock(mutex_);
    const auto found = last_.find(word);
    return found == last_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const std::byte*, Site> last_;
};

}  // namespace warpgrade::emulator
