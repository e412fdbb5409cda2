// Reads of memory that nothing had written, of one block, until it is known whether anything depends on them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "machine/block.hpp"
#include "machine/block_findings.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// Lanes that read bytes which nothing had written.
struct PendingRead {
  Access access;                  // without what it points to: that may have gone on
  Warp warp;                      // as it was when it read
  std::uint32_t instruction = 0;  // Instruction::index
  std::uint32_t lanes = 0;        // a mask
  std::uint64_t address[kWarpSize] = {};
};

// A read is reported when something depends on what it brought. One of shared memory also waits for the next
// barrier: where the bytes raced until then, the race is what is wrong.
class PendingReads {
 public:
  // The number of the read, by which used() knows it.
  std::uint32_t add(const PendingRead& read);
  // `at`: who depends on it.
  void used(std::uint32_t number, std::uint32_t at);
  // One on which the program depends, whatever becomes of it.
  void add_used(const PendingRead& read);
  void block_barrier();  // and at the block's end

 private:
  struct Entry {
    PendingRead read;
    bool used = false, reported = false;
    bool waits = false;    // for the barrier
    std::uint32_t by = 0;  // Instruction::index
  };
  void report(Entry& entry);

  std::vector<Entry> entries_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;  // instruction and warp
};

// What the checks know of a block, with its pending reads.
struct BlockDefinedness : BlockWatch {
  using BlockWatch::BlockWatch;
  PendingReads pending;
};
inline BlockDefinedness& definedness_of(const Block& block) {
  return static_cast<BlockDefinedness&>(watch(block));
}

}  // namespace warpgrade::emulator
