// Reads of undefined values of one block that wait for an instruction that depends on their value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "machine/block.hpp"
#include "machine/block_checks.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// Lanes that read unwritten bytes, or shuffled the value of a lane that does not take part.
struct PendingRead {
  Access access;                  // its pointers are dangling: do not use them
  Warp warp;                      // the state of the warp at the read
  std::uint32_t instruction = 0;  // DecodedInstruction::index
  std::uint32_t lanes = 0;        // a mask
  std::uint64_t address[kWarpSize] = {};
  std::optional<Finding> shuffle = {};  // what to report of a shuffle, which has no access
  int writer = -1;            // local memory: another lane that has written these bytes of its own copy
  bool has_cut_word = false;  // global memory: some lane reads a cut word (see check.cpp)
};
// The kind of the finding that reports such a read.
FindingKind kind_of(const PendingRead& read);

// A read is reported when something depends on its value. One of shared memory also waits for the next
// barrier: if the bytes raced until then, only the race is reported.
class PendingReads {
 public:
  // Returns the number of the read, for used().
  std::uint32_t add(const PendingRead& read);
  // A register without a value that `instruction` may read first.
  std::uint32_t add_register(const Warp& warp, std::uint32_t instruction);
  // The instruction `at` depends on the read.
  void used(std::uint32_t number, std::uint32_t at);
  // Adds a read that counts as used at once.
  void add_used(const PendingRead& read);
  bool has_cut_word(std::uint32_t number) const {
    return number < entries_.size() && entries_[number].read.has_cut_word;
  }
  void block_barrier();  // also called at the block's end

 private:
  struct PendingEntry {
    PendingRead read;
    bool used = false, reported = false;
    bool waits = false;  // for the barrier
    bool is_register = false;
    // Shared memory: the parts of its array that were stored before the next barrier.
    std::optional<std::vector<WrittenBytes>> written;
    std::uint32_t by = 0;  // DecodedInstruction::index
  };
  void report(PendingEntry& entry);

  std::vector<PendingEntry> entries_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;  // instruction and warp
};

// State of the checks for one block, with its pending reads.
struct BlockDefinedness : BlockChecks {
  using BlockChecks::BlockChecks;
  PendingReads pending;
  const class FirstWriters* written = nullptr;  // null where shared memory is not checked
};
inline BlockDefinedness& definedness_of(const Block& block) {
  return static_cast<BlockDefinedness&>(checks_of(block));
}

}  // namespace warpgrade::emulator
