#include "observe/global_watch.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace warpgrade::observe {
namespace {

constexpr std::size_t kEager = std::size_t{64} << 10;  // so much is kept before the turn is asked after
constexpr std::size_t kMost = std::size_t{16} << 20;   // and so much before it is waited for
constexpr std::size_t kTooMuch = std::size_t{256} << 20;

// Ten bits that two different values seldom share.
std::uint16_t hash(const std::byte* value, unsigned bytes) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < bytes; i += 4) {
    std::uint32_t part = 0;
    std::memcpy(&part, value + i, bytes < 4 ? bytes : 4);
    sum = (sum + part) * 0x9e3779b1u;
  }
  return static_cast<std::uint16_t>(sum >> 22);
}

bool is_there(const Access& access, const std::byte* value, std::uint64_t address) {
  const exec::Allocation* in =
      access.allocation != nullptr ? access.allocation : access.warp->block->memory->find(address);
  return in != nullptr && std::memcmp(value, in->at(address), access.bytes) == 0;
}

// What is written: hashes, and the lanes that write what is there.
void look_at_values(const Access& access, GlobalAccess& to, std::uint16_t* hashes) {
  const auto* value = static_cast<const std::byte*>(access.value);
  to.hash = hashes;
  static const GlobalValues of_words = global_values();
  if (access.allocation != nullptr && access.half[0] == Access::Pattern::packed &&
      access.half[1] == Access::Pattern::packed &&
      (access.bytes == 4 || access.bytes == 8 || access.bytes == 16)) {
    const std::byte* there[2] = {access.allocation->at(access.first[0]),
                                 access.allocation->at(access.first[1])};
    to.silent = of_words(access.value, there, access.bytes / 4u, hashes);
    return;
  }
  // Words of one allocation, wherever they lie, are most of them.
  if (access.allocation != nullptr && access.bytes == 4) {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      std::uint32_t word = 0, there = 0;
      std::memcpy(&word, value + 4 * lane, 4);
      std::memcpy(&there, access.allocation->at(access.of(lane)), 4);
      hashes[lane] = hash(value + 4 * lane, 4);
      to.silent |= (word == there ? 1u : 0u) << lane;
    }
    return;
  }
  for (unsigned lane = 0; lane < exec::kWarpSize; ++lane, value += access.bytes) {
    if ((access.mask >> lane & 1u) == 0) continue;
    hashes[lane] = hash(value, access.bytes);
    if (is_there(access, value, access.of(lane))) to.silent |= 1u << lane;
  }
}

}  // namespace

template <class T>
void GlobalLog::put(const T* values, std::size_t count) {
  if (room_ - used_ < count * sizeof(T) + 8) grow(count * sizeof(T) + 8);
  std::memcpy(reinterpret_cast<std::byte*>(words_.get()) + used_, values, count * sizeof(T));
  used_ += (count * sizeof(T) + 7) / 8 * 8;
}

void GlobalLog::grow(std::size_t bytes) {
  room_ = std::max(2 * room_, used_ + bytes + 4096) / 8 * 8;
  std::unique_ptr<std::uint64_t[]> larger(new std::uint64_t[room_ / 8]);
  if (used_ != 0) std::memcpy(larger.get(), words_.get(), used_);
  words_ = std::move(larger);
}

template <class T>
const T* GlobalLog::get(std::size_t& at, std::size_t count) const {
  const auto* found = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(words_.get()) + at);
  at += (count * sizeof(T) + 7) / 8 * 8;
  return found;
}

void GlobalLog::access(const GlobalAccess& access) {
  const Event event = Event::access;
  put(&event, 1);
  put(&access, 1);
  if (access.address != nullptr) put(access.address, exec::kWarpSize);
  if (access.hash != nullptr) put(access.hash, exec::kWarpSize);
}

void GlobalLog::block_barrier() {
  const Event event = Event::block_barrier;
  put(&event, 1);
}

void GlobalLog::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  const Event event = Event::warp_barrier;
  put(&event, 1);
  put(&warp, 1);
  put(&mask, 1);
}

void GlobalLog::arrival(std::uint32_t warp, std::uint32_t id) {
  const Event event = Event::arrival;
  put(&event, 1);
  put(&warp, 1);
  put(&id, 1);
}

void GlobalLog::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks, std::uint32_t warps) {
  const Event event = Event::partial_barrier;
  put(&event, 1);
  put(&id, 1);
  put(warp_masks, warps);
}

void GlobalLog::fence(std::uint32_t warp, bool of_block) {
  const Event event = Event::fence;
  put(&event, 1);
  put(&warp, 1);
  put(&of_block, 1);
}

void GlobalLog::replay(GlobalRace& race, GlobalBlock& block) {
  for (std::size_t at = 0; at < used_;) switch (*get<Event>(at, 1)) {
      case Event::access: {
        GlobalAccess access = *get<GlobalAccess>(at, 1);
        if (access.address != nullptr) access.address = get<std::uint64_t>(at, exec::kWarpSize);
        if (access.hash != nullptr) access.hash = get<std::uint16_t>(at, exec::kWarpSize);
        race.access(block, access);
        break;
      }
      case Event::block_barrier:
        race.block_barrier(block);
        break;
      case Event::warp_barrier: {
        const std::uint32_t warp = *get<std::uint32_t>(at, 1);
        race.warp_barrier(block, warp, *get<std::uint32_t>(at, 1));
        break;
      }
      case Event::arrival: {
        const std::uint32_t warp = *get<std::uint32_t>(at, 1);
        race.arrival(block, warp, *get<std::uint32_t>(at, 1));
        break;
      }
      case Event::partial_barrier: {
        const std::uint32_t id = *get<std::uint32_t>(at, 1);
        race.partial_barrier(block, id, get<std::uint32_t>(at, block.order.warps()));
        break;
      }
      case Event::fence: {
        const std::uint32_t warp = *get<std::uint32_t>(at, 1);
        race.fence(block, warp, *get<bool>(at, 1));
        break;
      }
    }
  used_ = 0;
}

GlobalBlockWatch::GlobalBlockWatch(GlobalWatch& all, std::uint64_t linear, bool may_wait)
    : all_(all), may_wait_(may_wait), warps_(all.warps_) {
  block_.linear = linear;
}

bool GlobalBlockWatch::now() {
  if (direct_) return true;
  if (!all_.is_turn(block_.linear)) return false;
  all_.race_.begin(block_, block_.linear);
  log_.replay(all_.race_, block_);
  return direct_ = true;
}

void GlobalBlockWatch::access(const Access& access) {
  GlobalAccess to;
  to.allocation = access.allocation;
  for (int half = 0; half < 2; ++half) {
    to.half[half] = access.half[half];
    to.first[half] = access.first[half];
  }
  to.address = access.known() ? nullptr : access.address;
  to.instruction = access.at->index;
  to.warp = access.warp->index;
  to.mask = access.mask;
  to.kind = access.kind;
  to.bytes = access.bytes;
  to.is_volatile = access.is_volatile;
  to.is_strong = access.is_strong;
  to.releases = access.releases;
  to.of_block = access.of_block;
  to.is_data = access.is_data;
  to.takes_lock = access.takes_lock;
  to.in_shared = access.space == ptx::Space::shared;
  std::uint16_t hashes[exec::kWarpSize];
  if (access.kind == Access::Kind::write && access.value != nullptr && !to.in_shared)
    look_at_values(access, to, hashes);
  if (direct_ || (log_.bytes() == 0 && now())) return all_.race_.access(block_, to);
  if (lost_) return;
  log_.access(to);
  if (log_.bytes() < kEager || now()) return;
  if (log_.bytes() > kMost && may_wait_) all_.wait_for_turn(block_.linear);
  lost_ = log_.bytes() > kTooMuch && !now();
}

void GlobalBlockWatch::block_barrier() {
  if (direct_)
    all_.race_.block_barrier(block_);
  else if (log_.bytes() != 0)
    log_.block_barrier();
}

void GlobalBlockWatch::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  if (direct_)
    all_.race_.warp_barrier(block_, warp, mask);
  else if (log_.bytes() != 0)
    log_.warp_barrier(warp, mask);
}

void GlobalBlockWatch::arrival(std::uint32_t warp, std::uint32_t id) {
  if (direct_)
    all_.race_.arrival(block_, warp, id);
  else if (log_.bytes() != 0)
    log_.arrival(warp, id);
}

void GlobalBlockWatch::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  if (direct_)
    all_.race_.partial_barrier(block_, id, warp_masks);
  else if (log_.bytes() != 0)
    log_.partial_barrier(id, warp_masks, warps_);
}

// The first event of a block may be a fence: where blocks do not take turns, nobody comes back to what is
// kept.
void GlobalBlockWatch::fence(std::uint32_t warp, bool of_block) {
  if (direct_ || (log_.bytes() == 0 && now()))
    all_.race_.fence(block_, warp, of_block);
  else
    log_.fence(warp, of_block);
}

GlobalWatch::GlobalWatch(const exec::LaunchRequest& request, exec::DeviceMemory& memory, bool alone,
                         const std::atomic<std::uint64_t>& lowest_failed)
    : race_(request, memory),
      alone_(alone),
      warps_(static_cast<std::uint32_t>((request.block.count() + exec::kWarpSize - 1) / exec::kWarpSize)),
      lowest_failed_(lowest_failed) {}

std::unique_ptr<GlobalBlockWatch> GlobalWatch::begin(std::uint64_t linear, bool may_wait) {
  return std::make_unique<GlobalBlockWatch>(*this, linear, may_wait);
}

void GlobalWatch::end(std::unique_ptr<GlobalBlockWatch> block) {
  if (alone_) return;
  const std::uint64_t linear = block->block_.linear;
  {
    const std::lock_guard lock(mutex_);
    if (turn_.load() != linear) {
      if (kept_ + block->log_.bytes() > kTooMuch) block->log_.drop();
      kept_ += block->log_.bytes();
      ended_[linear] = std::move(block);
      return;
    }
  }
  block->now();
  pass_on(linear + 1);
}

// The turn goes to the next block; those that have ended before theirs are looked at here.
void GlobalWatch::pass_on(std::uint64_t next) {
  for (;; ++next) {
    std::unique_ptr<GlobalBlockWatch> ended;
    {
      const std::lock_guard lock(mutex_);
      turn_.store(next, std::memory_order_release);
      turned_.notify_all();
      const auto found = ended_.find(next);
      if (found == ended_.end()) return;
      ended = std::move(found->second);
      kept_ -= ended->log_.bytes();
      ended_.erase(found);
    }
    ended->now();
  }
}

void GlobalWatch::wait_for_turn(std::uint64_t linear) {
  std::unique_lock lock(mutex_);
  while (turn_.load() != linear && lowest_failed_.load() > linear)
    turned_.wait_for(lock, std::chrono::milliseconds(20));
}

}  // namespace warpgrade::observe
