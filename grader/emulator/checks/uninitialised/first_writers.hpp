// The thread that first wrote each word of a block's shared memory, and the thread that should have written a
// word that is still unwritten.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/finding.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class FirstWriters {
 public:
  struct Writer {
    std::uint32_t instruction = 0;   // DecodedInstruction::index
    std::uint32_t thread = kNobody;  // linear in the block
    bool is_update = false;          // an atomic, which has read what nobody had written
  };
  // Offsets of an array in shared memory.
  struct ArrayRange {
    std::uint64_t begin = 0, end = 0;
  };

  void block_begin(std::uint32_t bytes);
  void note(const Access& access);  // a write of some words that were unwritten

  // The store that fills the array, and the thread whose word `offset` is: the stores' addresses have to be
  // linear in the thread's coordinates. None where no such pattern leads to a thread that has not stored.
  std::optional<Writer> missing_writer(const Block& block, std::uint64_t offset, ArrayRange array) const;
  // What of the array has been stored, in order; none where that is more than a few ranges.
  std::optional<std::vector<WrittenBytes>> written(ArrayRange array) const;

 private:
  static constexpr std::uint32_t kNobody = ~0u;
  std::vector<Writer> words_;
};

}  // namespace warpgrade::emulator
