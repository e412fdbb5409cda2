// Sampled per-allocation footprints (unique and repeated sectors) for the cache model. Only a few blocks are
// tracked (launch/block_sampling.hpp), each on its own; no cache is emulated.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "machine/observers.hpp"
#include "machine/sampled_blocks.hpp"
#include "profile/touched_lines.hpp"

namespace warpgrade::emulator {

// One block while it runs.
class BlockFootprint {
 public:
  void access(const Access& access);  // to global memory

 private:
  friend class Footprints;

  // The lines that a warp loaded last.
  struct Recent {
    static constexpr unsigned kSets = 32, kWays = 4;
    struct CachedLine {
      std::uint64_t line = ~std::uint64_t{0};
      std::uint32_t sectors = 0;
      std::uint32_t used = 0;
    };
    std::array<CachedLine, kSets * kWays> lines;
    std::uint32_t now = 0;
    // Sectors that were not among them; then they are.
    unsigned load(std::uint64_t line, unsigned sectors);
  };

  // The lines that a warp's stores wrote last: what it writes to them next goes to L2 with it.
  struct Written {
    static constexpr unsigned kLines = 8;
    std::array<std::pair<std::uint64_t, unsigned>, kLines> lines =
        {};  // number and sectors, the last one first
    // Sectors that were written before.
    unsigned store(std::uint64_t line, unsigned sectors);
  };

  struct SampledSite {
    std::uint32_t allocation = 0;  // of the first access
    std::uint64_t requests = 0, missed = 0;
  };
  using Key = std::pair<const Allocation*, Footprint::Kind>;
  struct AllocationPart {
    Key key;
    Footprint found;
    TouchedLines lines;
  };
  AllocationPart& part(const Access& access);

  std::vector<std::unique_ptr<AllocationPart>> parts_;  // few
  std::vector<Recent> recent_;                          // indexed by warp
  std::vector<Written> written_;                        // indexed by warp
  std::map<std::uint32_t, SampledSite> sites_;          // indexed by DecodedInstruction::index
  AllocationPart* last_ = nullptr;
};

// All sampled blocks of a launch. Thread-safe.
class Footprints {
 public:
  explicit Footprints(const SampledBlocks& of) : of_(of) {}
  bool wants(std::uint64_t block) const;
  void add(const BlockFootprint& one, std::uint64_t block);
  void take(Counters& to);  // in order of the allocations' serial numbers

 private:
  struct Sum {
    Footprint found;
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;  // lines
    TouchedLines lines;                                     // each pair is a party
  };
  const SampledBlocks& of_;
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, Footprint::Kind>, Sum> sums_;
  std::map<std::uint32_t, BlockFootprint::SampledSite> sites_;  // the lowest allocation where blocks differ
};

}  // namespace warpgrade::emulator
