// Words that one block passes to another, announced by a flag, both written by strong stores. Strong accesses
// do not race with each other, but they are not ordered either: without a fence between word and flag, a
// thread that has seen the flag may still read the word's old value. One load of two words may see one of two
// stores without the other.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "checks/clocks/block_clock.hpp"
#include "machine/kernel_facts/flag_loads.hpp"

namespace warpgrade::emulator {

// A strong store to a word.
struct StrongStore {
  std::uint64_t block = 0, order = 0;  // `order`: of all strong stores of the launch
  std::uint64_t began = 0;             // `order` of its thread's first store to the word
  std::uint32_t thread = 0, time = 0;
  std::uint32_t floor = 0;  // time of the block's last barrier
  WarpClock fenced;         // the block's clocks at the last fence of device scope by the thread's warp
};

// What a block has waited for: for each writing block the last store that a load has polled.
struct Polled {
  StrongStore store;
  std::uint32_t thread = 0, time = 0;  // of the load
};
using PolledBlocks = std::unordered_map<std::uint64_t, Polled>;

class HandOvers {
 public:
  // Each call is one store: words of one store are handed over together.
  void store(std::uint64_t address, unsigned bytes, StrongStore store);
  // An atomic that counts: a thread that sees a later value of the word has seen this update, too.
  void count(std::uint64_t address, StrongStore update);
  void poll(std::uint64_t address, std::uint64_t block, const Polled& by, PolledBlocks& polled) const;
  // Whether the writer's last strong store to this word came before a flag that the reader has polled, with
  // no fence between the two.
  bool lacks_fence(std::uint64_t address, std::uint32_t thread, const BlockClock& reader,
                   const PolledBlocks& polled) const;
  // The last store to `word`, if a load of `bytes` at `address` may see only one of two stores of a thread:
  // this one, and one to another of the loaded words. Null: it sees both or neither.
  const StrongStore* torn(std::uint64_t word, std::uint64_t address, unsigned bytes,
                          const WideLoad& load) const;

 private:
  std::uint64_t stores_ = 0;
  std::unordered_map<std::uint64_t, StrongStore> last_;  // indexed by word
  // Indexed by word, then by block: the last atomic since the word's last store.
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, StrongStore>> counts_;
};

}  // namespace warpgrade::emulator
