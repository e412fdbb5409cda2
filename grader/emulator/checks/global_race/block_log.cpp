#include "checks/global_race/block_log.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpgrade::emulator {

template <class T>
void BlockLog::put(const T* values, std::size_t count) {
  if (capacity_ - used_ < count * sizeof(T) + 8) grow(count * sizeof(T) + 8);
  std::memcpy(reinterpret_cast<std::byte*>(words_.get()) + used_, values, count * sizeof(T));
  used_ += (count * sizeof(T) + 7) / 8 * 8;
}

void BlockLog::grow(std::size_t bytes) {
  capacity_ = std::max(2 * capacity_, used_ + bytes + 4096) / 8 * 8;
  std::unique_ptr<std::uint64_t[]> larger(new std::uint64_t[capacity_ / 8]);
  if (used_ != 0) std::memcpy(larger.get(), words_.get(), used_);
  words_ = std::move(larger);
}

template <class T>
const T* BlockLog::get(std::size_t& at, std::size_t count) const {
  const auto* found = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(words_.get()) + at);
  at += (count * sizeof(T) + 7) / 8 * 8;
  return found;
}

void BlockLog::plain(const GlobalAccess& a) {
  const auto packed = [&](unsigned half) {
    return a.half[half] == Access::LanePattern::packed ? 1u << half : 0u;
  };
  const bool apart = a.first[1] != a.first[0] + 16u * a.bytes;
  const Plain kept{.kind = a.kind,
                   .bytes = a.bytes,
                   .packed = static_cast<std::uint8_t>(packed(0) | packed(1) | (apart ? kApart : 0u)),
                   .warp = a.warp,
                   .instruction = a.instruction,
                   .number = a.event,
                   .allocation = a.allocation,
                   .first = a.first[0]};
  put(&kept, 1);
  if (apart) put(&a.first[1], 1);
  if (a.hash == nullptr) return;
  put(&a.silent, 1);
  put(a.hash, kWarpSize);
}

GlobalAccess BlockLog::plain_at(std::size_t& at) const {
  const Plain& kept = *get<Plain>(at, 1);
  GlobalAccess a;
  a.allocation = kept.allocation;
  for (unsigned half = 0; half < 2; ++half)
    a.half[half] =
        (kept.packed >> half & 1u) != 0 ? Access::LanePattern::packed : Access::LanePattern::uniform;
  a.in_row = kept.packed == kInRow;
  a.first[0] = kept.first;
  a.first[1] = (kept.packed & kApart) != 0 ? *get<std::uint64_t>(at, 1) : kept.first + 16u * kept.bytes;
  a.instruction = kept.instruction;
  a.warp = kept.warp;
  a.mask = kFullMask;
  a.event = kept.number;
  a.kind = kept.kind;
  a.bytes = kept.bytes;
  if (a.kind == Access::Kind::read) return a;
  a.silent = *get<std::uint32_t>(at, 1);
  a.hash = get<std::uint16_t>(at, kWarpSize);
  return a;
}

void BlockLog::access(const GlobalAccess& access) {
  const bool hashed = (access.kind == Access::Kind::write) == (access.hash != nullptr);
  if (access.known() && access.is_plain() && !access.in_shared && access.mask == kFullMask && hashed)
    return plain(access);
  const LoggedEvent event = LoggedEvent::access;
  put(&event, 1);
  put(&access, 1);
  if (access.address != nullptr) {
    std::uint64_t active[kWarpSize];
    unsigned count = 0;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      active[count++] = access.address[std::countr_zero(left)];
    put(active, count);
  }
  if (access.hash != nullptr) put(access.hash, kWarpSize);
}

void BlockLog::block_barrier() {
  const LoggedEvent event = LoggedEvent::block_barrier;
  put(&event, 1);
}

void BlockLog::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  const LoggedEvent event = LoggedEvent::warp_barrier;
  put(&event, 1);
  put(&warp, 1);
  put(&mask, 1);
}

void BlockLog::arrival(std::uint32_t warp, std::uint32_t id) {
  const LoggedEvent event = LoggedEvent::arrival;
  put(&event, 1);
  put(&warp, 1);
  put(&id, 1);
}

void BlockLog::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks, std::uint32_t warps) {
  const LoggedEvent event = LoggedEvent::partial_barrier;
  put(&event, 1);
  put(&id, 1);
  put(warp_masks, warps);
}

void BlockLog::fence(std::uint32_t warp, bool of_block) {
  const LoggedEvent event = LoggedEvent::fence;
  put(&event, 1);
  put(&warp, 1);
  put(&of_block, 1);
}

void BlockLog::phase_completed(std::uint32_t offset) {
  const LoggedEvent event = LoggedEvent::phase_completed;
  put(&event, 1);
  put(&offset, 1);
}

// `address`: buffer for the addresses of all lanes. The log stores those of the active lanes only.
GlobalAccess BlockLog::access_at(std::size_t& at, std::uint64_t (&address)[kWarpSize]) const {
  GlobalAccess access = *get<GlobalAccess>(at, 1);
  if (access.address != nullptr) {
    const auto* active = get<std::uint64_t>(at, static_cast<unsigned>(std::popcount(access.mask)));
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      address[std::countr_zero(left)] = *active++;
    access.address = address;
  }
  if (access.hash != nullptr) access.hash = get<std::uint16_t>(at, kWarpSize);
  return access;
}

void BlockLog::replay_order(LoggedEvent event, std::size_t& at, GlobalRaceDetector& race,
                            GlobalBlock& block) const {
  if (event == LoggedEvent::block_barrier) return race.block_barrier(block);
  const std::uint32_t number = *get<std::uint32_t>(at, 1);  // of the warp, of the barrier
  switch (event) {
    case LoggedEvent::warp_barrier:
      return race.warp_barrier(block, number, *get<std::uint32_t>(at, 1));
    case LoggedEvent::arrival:
      return race.arrival(block, number, *get<std::uint32_t>(at, 1));
    case LoggedEvent::partial_barrier:
      return race.partial_barrier(block, number, get<std::uint32_t>(at, block.order.warps()));
    case LoggedEvent::fence:
      return race.fence(block, number, *get<bool>(at, 1));
    default:
      return race.phase_completed(block, number);
  }
}

void BlockLog::replay(GlobalRaceDetector& race, GlobalBlock& block) {
  for (std::size_t at = 0, next = 0; at < used_; next = at) {
    const LoggedEvent event = *get<LoggedEvent>(next, 1);
    if (event != LoggedEvent::plain) at = next;  // Plain::event holds it: read it again
    if (event == LoggedEvent::plain) {
      race.access(block, plain_at(at));
    } else if (event == LoggedEvent::access) {
      std::uint64_t address[kWarpSize];
      race.access(block, access_at(at, address));
    } else {
      replay_order(event, at, race, block);
    }
  }
  used_ = 0;
}

}  // namespace warpgrade::emulator
