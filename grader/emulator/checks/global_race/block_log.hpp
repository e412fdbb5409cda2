// Log of a block's accesses to global memory, kept until all earlier blocks have been checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "checks/global_race/detector.hpp"

namespace warpgrade::emulator {

// Events of one block, in order.
class BlockLog {
 public:
  void access(const GlobalAccess& access);
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks, std::uint32_t warps);
  void fence(std::uint32_t warp, bool of_block);
  void phase_completed(std::uint32_t offset);

  std::size_t bytes() const { return used_; }
  void clear() { used_ = 0; }
  void drop() { words_.reset(), used_ = capacity_ = 0; }
  void replay(GlobalRaceDetector& race, GlobalBlock& block);  // empties the log, too

 private:
  enum class LoggedEvent : std::uint8_t {
    access,
    plain,
    block_barrier,
    warp_barrier,
    arrival,
    partial_barrier,
    fence,
    phase_completed
  };
  // A plain access with an address pattern, as most are. It is compact, because one worker writes the log and
  // another reads it. It is followed by the first address of lanes 16 to 31 if kApart is set and, for a
  // write, by `silent` and the hashes.
  struct Plain {
    LoggedEvent event = LoggedEvent::plain;
    Access::Kind kind = Access::Kind::read;
    std::uint8_t bytes = 0;
    std::uint8_t packed = 0;  // a bit for each half: 1 packed, 0 uniform
    std::uint32_t warp = 0, instruction = 0, number = 0;
    Allocation* allocation = nullptr;
    std::uint64_t first = 0;
  };
  static constexpr std::uint8_t kApart = 4;  // in `packed`: lanes 16 to 31 do not continue lanes 0 to 15
  static constexpr std::uint8_t kInRow = 3;

  void plain(const GlobalAccess& access);
  GlobalAccess plain_at(std::size_t& at) const;
  GlobalAccess access_at(std::size_t& at, std::uint64_t (&address)[kWarpSize]) const;
  // Replays an event that orders accesses; `at`: its data.
  void replay_order(LoggedEvent event, std::size_t& at, GlobalRaceDetector& race, GlobalBlock& block) const;
  template <class T>
  void put(const T* values, std::size_t count);
  template <class T>
  const T* get(std::size_t& at, std::size_t count) const;
  void grow(std::size_t bytes);

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t used_ = 0, capacity_ = 0;  // bytes
};

}  // namespace warpgrade::emulator
