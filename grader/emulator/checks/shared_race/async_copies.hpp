// Words of shared memory that an asynchronous copy (cp.async) may write at any moment: from its issue until
// the thread that issued it has waited. Until then no thread may access them, the issuing one included.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checks/shared_race/byte_range.hpp"

namespace warpgrade::emulator {

// Observers get two events for a copy: its issue, as a write without a value, and its completion.
inline bool is_issue(const Access& access) {
  return access.is_async && access.kind == Access::Kind::write && access.value == nullptr;
}

class InFlightCopies {
 public:
  void block_begin(std::uint32_t words);
  void issue(const Access& access);
  void finish(const Access& access);

  bool any() const { return count_ != 0; }
  // Range of the offsets of all copies in flight.
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }

  struct CopyConflict {
    int lane = 0;
    std::uint32_t offset = 0;  // offset of the word
    std::uint32_t thread = 0, instruction = 0;
    std::uint32_t lanes = 0;
    std::vector<std::uint32_t> words;  // words with a copy in flight
  };
  // The first lane whose access overlaps a copy in flight. `range`: range_of(access).
  std::optional<CopyConflict> conflict_with(const Access& access, ByteRange range) const;

 private:
  struct TrackedCopy {
    std::uint32_t thread = 0, instruction = 0;  // counted from 1; 0: none
  };
  template <class Use>
  static void for_each_word(const Access& access, Use use);
  bool any_in(ByteRange range) const;

  std::vector<TrackedCopy> words_;
  std::vector<std::uint64_t> in_flight_;  // a bit for each word
  std::uint32_t count_ = 0, begin_ = ~0u, end_ = 0;
};

}  // namespace warpgrade::emulator
