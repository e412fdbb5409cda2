// Feeds a race check with the accesses of several blocks to global memory, without running a kernel.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <vector>

#include "checks/global_race/detector.hpp"

namespace warpgrade::emulator {

// Blocks of 64 threads on 4,096 words, and their findings' kinds.
class Blocks {
 public:
  explicit Blocks(std::uint32_t blocks = 4) : memory_(std::size_t{64} << 20) {
    request_.kernel = &kernel_;
    request_.grid = {blocks, 1, 1};
    request_.block = {64, 1, 1};
    data_ = memory_.allocate(16384, Allocation::Kind::device, "data");
    flag_ = memory_.allocate(256, Allocation::Kind::device, "flag");
    launch();
  }
  void launch() {
    blocks_.clear();
    race_ =
        std::make_unique<GlobalRaceDetector>(request_, memory_, race_ == nullptr ? 1 : race_->next_segment());
    for (std::uint64_t b = 0; b < request_.grid.x; ++b)
      race_->begin(*blocks_.emplace_back(std::make_unique<GlobalBlock>()), b);
  }

  struct How {
    Access::Kind kind = Access::Kind::read;
    std::uint32_t mask = kFullMask, instruction = 1;
    bool is_volatile = false, of_block = false;
    std::uint8_t bytes = 4;
    std::uint16_t value = 0;  // hash of the value of every lane
    bool silent = false;
    bool apart = false;  // pass addresses without a pattern
  };
  using Place = std::function<std::uint64_t(unsigned)>;  // byte, by lane
  void data(std::uint64_t block, std::uint32_t warp, const How& how, const Place& place) {
    perform(*data_, block, warp, how, place);
  }
  void flag(std::uint64_t block, const How& how, std::uint32_t warp = 0) {
    How one = how;
    one.mask = 1;
    perform(*flag_, block, warp, one, [](unsigned) { return 0; });
  }
  // An access to a flag in the block's shared memory, at `offset`.
  void shared_flag(std::uint64_t block, std::uint32_t warp, const How& how, std::uint64_t offset = 8) {
    std::uint64_t address[32];
    for (std::uint64_t& each : address) each = offset;
    GlobalAccess access;
    access.address = address;
    access.warp = warp;
    access.mask = 1;
    access.kind = how.kind;
    access.bytes = 8;
    access.is_volatile = how.is_volatile;
    access.in_shared = true;
    race_->access(*blocks_[block], access);
  }
  void fence(std::uint64_t block, bool of_block = false, std::uint32_t warp = 0) {
    race_->fence(*blocks_[block], warp, of_block);
  }
  // Begins the block's turn and ends the turns of earlier blocks.
  void turn(std::uint64_t block) { race_->begin(*blocks_[block], block); }
  void barrier(std::uint64_t block) { race_->block_barrier(*blocks_[block]); }
  void arrival(std::uint64_t block, std::uint32_t warp) { race_->arrival(*blocks_[block], warp, 1); }
  // This warp waits at the barrier with the warps that have arrived.
  void wait(std::uint64_t block, std::uint32_t warp) {
    const std::uint32_t masks[] = {warp == 0 ? kFullMask : 0, warp == 1 ? kFullMask : 0};
    race_->partial_barrier(*blocks_[block], 1, masks);
  }
  void warp_barrier(std::uint64_t block, std::uint32_t mask) {
    race_->warp_barrier(*blocks_[block], 0, mask);
  }

  std::vector<Finding> findings() {
    std::vector<Finding> out;
    for (GlobalRaceDetector::BlockFinding& each : race_->take_findings())
      out.push_back(std::move(each.finding));
    return out;
  }
  std::vector<FindingKind> kinds() {
    std::vector<FindingKind> out;
    for (const auto& finding : findings()) out.push_back(finding.kind);
    return out;
  }

 private:
  void perform(Allocation& in, std::uint64_t block, std::uint32_t warp, const How& how, const Place& place) {
    std::uint64_t address[32];
    std::uint16_t hash[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = in.base + place(i), hash[i] = how.value;
    GlobalAccess access;
    access.allocation = &in;
    access.address = address;
    access.hash = how.kind == Access::Kind::write ? hash : nullptr;
    access.instruction = how.instruction;
    access.warp = warp;
    access.mask = how.mask;
    access.silent = how.silent ? kFullMask : 0;
    access.kind = how.kind;
    access.bytes = how.bytes;
    access.is_volatile = how.is_volatile;
    access.of_block = how.of_block;
    // Packed and uniform halves are reported as the handlers of the fast paths report them.
    if (how.mask == kFullMask && !how.apart)
      for (unsigned half = 0; half < 2; ++half) {
        access.half[half] = pattern(address + 16 * half, how.bytes);
        access.first[half] = address[16 * half];
      }
    if (access.half[0] != Access::LanePattern::scattered && access.half[1] != Access::LanePattern::scattered)
      access.address = nullptr;
    race_->access(*blocks_[block], access);
  }

  static Access::LanePattern pattern(const std::uint64_t* address, unsigned bytes) {
    bool packed = true, uniform = true;
    for (unsigned i = 0; i < 16; ++i) {
      packed &= address[i] == address[0] + std::uint64_t{i} * bytes;
      uniform &= address[i] == address[0];
    }
    return packed    ? Access::LanePattern::packed
           : uniform ? Access::LanePattern::uniform
                     : Access::LanePattern::scattered;
  }

  DeviceMemory memory_;
  KernelInfo kernel_;
  LaunchRequest request_;
  Allocation *data_ = nullptr, *flag_ = nullptr;
  std::unique_ptr<GlobalRaceDetector> race_;
  std::vector<std::unique_ptr<GlobalBlock>> blocks_;
};

inline std::uint64_t packed(unsigned lane) { return 4 * lane; }
inline std::uint64_t one_word(unsigned) { return 0; }
inline Blocks::Place shifted(std::uint64_t bytes) {
  return [bytes](unsigned lane) { return 4 * lane + bytes; };
}

constexpr Blocks::How kBlockRead{};
constexpr Blocks::How kBlockWrite{.kind = Access::Kind::write, .instruction = 2, .value = 5};
constexpr Blocks::How kBlockAtomic{.kind = Access::Kind::atomic, .instruction = 3};
constexpr Blocks::How kVolatileRead{.is_volatile = true};
constexpr Blocks::How kVolatileWrite{
    .kind = Access::Kind::write, .instruction = 4, .is_volatile = true, .value = 1};

}  // namespace warpgrade::emulator
