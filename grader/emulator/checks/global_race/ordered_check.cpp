#include "checks/global_race/ordered_check.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kMost = std::size_t{16} << 20;  // bytes of log before a block waits for its turn
// Bytes of one block's log, or of the logs of all ended blocks, beyond which accesses are not checked.
constexpr std::size_t kTooMuch = std::size_t{256} << 20;
constexpr std::size_t kEndedOfWorker = 8;  // blocks that end before their worker waits for the checks
constexpr unsigned kDealtShift = 14;  // log2 of the adjacent bytes that belong to one shard: several pages
static_assert(kDealtShift >= ShadowPages::kPageShift);

// A hash of ten bits.
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
  const Allocation* in =
      access.allocation != nullptr ? access.allocation : access.warp->block->memory->find(address);
  return in != nullptr && std::memcmp(value, in->at(address), access.bytes) == 0;
}

// Hashes of the written values, and the lanes whose value is in memory already.
void hash_values(const Access& access, GlobalAccess& to, std::uint16_t* hashes) {
  const auto* value = static_cast<const std::byte*>(access.value);
  to.hash = hashes;
  static const GlobalValues of_words = global_values();
  if (access.allocation != nullptr && access.half[0] == Access::LanePattern::packed &&
      access.half[1] == Access::LanePattern::packed &&
      (access.bytes == 4 || access.bytes == 8 || access.bytes == 16)) {
    const std::byte* there[2] = {access.allocation->at(access.first[0]),
                                 access.allocation->at(access.first[1])};
    to.silent = of_words(access.value, there, access.bytes / 4u, hashes);
    return;
  }
  // The most common case: words of one allocation.
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
  for (unsigned lane = 0; lane < kWarpSize; ++lane, value += access.bytes) {
    if ((access.mask >> lane & 1u) == 0) continue;
    hashes[lane] = hash(value, access.bytes);
    if (is_there(access, value, access.of(lane))) to.silent |= 1u << lane;
  }
}

// Pages are assigned to shards round-robin. Adopted memory may start at any address, so one access may touch
// two pages: all of it belongs to one shard.
unsigned shard_of(const Allocation& in, std::uint64_t address, std::size_t shards) {
  const std::uint64_t number = in.base % 16 != 0 ? in.serial : (address - in.base) >> kDealtShift;
  return static_cast<unsigned>(number % shards);
}

GlobalAccess as_kept(const Access& access) {
  GlobalAccess to;
  to.allocation = access.allocation;
  for (int half = 0; half < 2; ++half) {
    to.half[half] = access.half[half];
    to.first[half] = access.first[half];
  }
  to.in_row = to.half[0] == Access::LanePattern::packed && to.half[1] == Access::LanePattern::packed &&
              to.first[1] == to.first[0] + 16u * access.bytes;
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
  return to;
}

}  // namespace

OrderedBlockCheck::OrderedBlockCheck(OrderedCheck& all) : all_(all), states_(all.shards_.size()) {}

void OrderedBlockCheck::begin(std::uint64_t linear, bool may_wait) {
  linear_ = linear;
  may_wait_ = may_wait;
  events_ = 0;
  for (ShardState& state : states_) {
    state.direct = state.lost = state.barrier = false;
    state.log.clear();
  }
}

bool OrderedBlockCheck::now(unsigned shard) {
  ShardState& state = states_[shard];
  if (state.direct) return true;
  if (!all_.is_turn(shard, linear_)) return false;
  GlobalRaceDetector& race = all_.shards_[shard]->race;
  race.begin(state.block, linear_);
  state.log.replay(race, state.block);
  return state.direct = true;
}

void OrderedBlockCheck::access(const Access& access) {
  GlobalAccess to = as_kept(access);
  to.event = ++events_;
  std::uint16_t hashes[kWarpSize];
  if (access.kind == Access::Kind::write && access.value != nullptr && !to.in_shared)
    hash_values(access, to, hashes);
  if (states_.size() == 1) return give(0, to);
  if (!to.in_shared) deal(access, to);  // flags in shared memory matter only with one shard
}

// Gives each shard the lanes that access its pages.
void OrderedBlockCheck::deal(const Access& access, const GlobalAccess& to) {
  const auto end = [&](unsigned half) {  // address of the half's last lane
    return to.first[half] + (to.half[half] == Access::LanePattern::packed ? 15u * to.bytes : 0);
  };
  if (to.known() && to.allocation != nullptr) {
    const Allocation& in = *to.allocation;
    const unsigned first = shard_of(in, to.first[0], states_.size());
    const bool one = shard_of(in, end(0), states_.size()) == first &&
                     shard_of(in, to.first[1], states_.size()) == first &&
                     shard_of(in, end(1), states_.size()) == first;
    if (one) return give(first, to);
  }
  std::uint64_t address[kWarpSize];
  std::uint32_t lanes[OrderedCheck::kMostShards] = {};
  for (std::uint32_t left = to.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    address[lane] = to.of(lane);
    const Allocation* in =
        to.allocation != nullptr ? to.allocation : access.warp->block->memory->find(address[lane]);
    if (in != nullptr) lanes[shard_of(*in, address[lane], states_.size())] |= 1u << lane;
  }
  GlobalAccess some = to;
  some.address = address;
  some.half[0] = some.half[1] = Access::LanePattern::scattered;
  some.in_row = false;
  for (unsigned shard = 0; shard < states_.size(); ++shard) {
    if (lanes[shard] == 0) continue;
    some.mask = lanes[shard];
    give(shard, some);
  }
}

void OrderedBlockCheck::give(unsigned shard, const GlobalAccess& access) {
  ShardState& state = states_[shard];
  if (now(shard)) {
    pass_barrier(shard);
    return all_.shards_[shard]->race.access(state.block, access);
  }
  if (state.lost) return;
  pass_barrier(shard);
  state.log.access(access);
  if (state.log.bytes() > kMost && may_wait_) all_.wait_for_turn(shard, linear_);
  state.lost = state.log.bytes() > kTooMuch && !now(shard);
}

// Several barriers without an access in between count as one. Barriers before the block's first access do not
// matter.
void OrderedBlockCheck::pass_barrier(unsigned shard) {
  ShardState& state = states_[shard];
  if (!std::exchange(state.barrier, false)) return;
  if (state.direct)
    all_.shards_[shard]->race.block_barrier(state.block);
  else
    state.log.block_barrier();
}

void OrderedBlockCheck::block_barrier() {
  for (ShardState& state : states_) state.barrier = state.direct || state.log.bytes() != 0;
}

// Passes a synchronisation event to every shard.
template <class Now, class Later>
void OrderedBlockCheck::report(const Now& now, const Later& later) {
  for (unsigned shard = 0; shard < states_.size(); ++shard) {
    ShardState& state = states_[shard];
    pass_barrier(shard);
    if (state.direct)
      now(all_.shards_[shard]->race, state.block);
    else if (state.log.bytes() != 0)
      later(state.log);
  }
}

void OrderedBlockCheck::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  report([&](GlobalRaceDetector& race, GlobalBlock& block) { race.warp_barrier(block, warp, mask); },
         [&](BlockLog& log) { log.warp_barrier(warp, mask); });
}

void OrderedBlockCheck::arrival(std::uint32_t warp, std::uint32_t id) {
  report([&](GlobalRaceDetector& race, GlobalBlock& block) { race.arrival(block, warp, id); },
         [&](BlockLog& log) { log.arrival(warp, id); });
}

void OrderedBlockCheck::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  report([&](GlobalRaceDetector& race, GlobalBlock& block) { race.partial_barrier(block, id, warp_masks); },
         [&](BlockLog& log) { log.partial_barrier(id, warp_masks, all_.shards_[0]->race.warps()); });
}

void OrderedBlockCheck::phase_completed(std::uint32_t offset) {
  report([&](GlobalRaceDetector& race, GlobalBlock& block) { race.phase_completed(block, offset); },
         [&](BlockLog& log) { log.phase_completed(offset); });
}

// Kernels with fences have one shard. A fence that is the block's first event is checked at once if it is the
// block's turn: with one worker, nothing would read the log later.
void OrderedBlockCheck::fence(std::uint32_t warp, bool of_block) {
  ShardState& state = states_[0];
  const bool direct = state.direct || (state.log.bytes() == 0 && now(0));
  pass_barrier(0);
  if (direct)
    all_.shards_[0]->race.fence(state.block, warp, of_block);
  else
    state.log.fence(warp, of_block);
}

OrderedCheck::OrderedCheck(const LaunchRequest& request, DeviceMemory& memory, bool hands_over, int workers,
                           const std::atomic<std::uint64_t>& lowest_failed, WritableAllocations written,
                           const FlagLoads* flags)
    : memory_(memory),
      alone_(workers == 1),
      most_ended_(hands_over ? 0 : kEndedOfWorker * static_cast<std::size_t>(workers)),
      written_(std::move(written)),
      lowest_failed_(lowest_failed) {
  const std::uint32_t base = memory.next_race_segment(GlobalShadowWord::kMostSegment);
  // A scattered access is split among all shards: use only as many as can be checked in parallel.
  const unsigned shards =
      hands_over ? 1 : std::min(std::bit_floor(static_cast<unsigned>(workers)), kMostShards);
  while (shards_.size() < shards) shards_.push_back(std::make_unique<Shard>(request, memory, base, flags));
}

// Each shard numbers its own segments; the next launch starts after the highest number.
OrderedCheck::~OrderedCheck() {
  std::uint32_t next = 0;
  for (const auto& shard : shards_) next = std::max(next, shard->race.next_segment());
  memory_.set_race_segment(next);
}

bool OrderedCheck::foreseen(const Access& access) const {
  if (access.allocation != nullptr || written_.are_all()) return written_.may_be(access.allocation);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((access.mask >> lane & 1) != 0 && !written_.may_be(memory_.find(access.of(lane)))) return false;
  return true;
}

std::unique_ptr<OrderedBlockCheck> OrderedCheck::begin(std::uint64_t linear, bool may_wait) {
  std::unique_ptr<OrderedBlockCheck> block;
  {
    const std::lock_guard lock(lock_);
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (block == nullptr) block = std::make_unique<OrderedBlockCheck>(*this);
  block->begin(linear, may_wait);
  return block;
}

void OrderedCheck::end(std::unique_ptr<OrderedBlockCheck> block) {
  const std::uint64_t linear = block->linear_;
  {
    const std::lock_guard lock(lock_);
    if (alone_) return spare_.push_back(std::move(block));
    for (unsigned shard = 0; shard < shards_.size(); ++shard) {
      BlockLog& log = block->states_[shard].log;
      if (!is_turn(shard, linear) && kept_ + log.bytes() > kTooMuch) log.drop();
      kept_ += log.bytes();
    }
    ended_[linear] = {std::move(block), static_cast<unsigned>(shards_.size())};
  }
  for (unsigned i = 0; i < shards_.size(); ++i) drain(static_cast<unsigned>((linear + i) % shards_.size()));
  wait_for_backlog();
}

std::size_t OrderedCheck::check(unsigned number, OrderedBlockCheck* const* blocks, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kept = blocks[i]->states_[number].log.bytes();
    if (kept != 0) blocks[i]->now(number);
    bytes += kept;
    shards_[number]->turn.store(blocks[i]->linear_ + 1, std::memory_order_release);
  }
  return bytes;
}

// Checks the logs of finished blocks whose turn it is, unless another worker is doing so. It takes several
// blocks at a time: the lock is held for less time than many blocks run.
void OrderedCheck::drain(unsigned number) {
  constexpr std::size_t kAtOnce = 32;
  Shard& shard = *shards_[number];
  std::unique_lock lock(lock_);
  if (shard.drained) return;
  shard.drained = true;
  for (;;) {
    OrderedBlockCheck* blocks[kAtOnce];
    std::size_t count = 0;
    const std::uint64_t first = shard.turn.load();
    for (auto at = ended_.find(first); count < kAtOnce && at != ended_.end() && at->first == first + count;
         ++at)
      blocks[count++] = at->second.block.get();
    if (count == 0) break;
    lock.unlock();
    const std::size_t bytes = check(number, blocks, count);
    lock.lock();
    kept_ -= bytes;
    auto at = ended_.find(first);
    for (std::size_t i = 0; i < count; ++i) {
      if (--at->second.left != 0) {
        ++at;
        continue;
      }
      spare_.push_back(std::move(at->second.block));
      at = ended_.erase(at);
    }
    if (waiting_ != 0) turned_.notify_all();
    if (behind_ != 0 && ended_.size() <= most_ended_ / 2) caught_up_.notify_all();
  }
  shard.drained = false;
}

// Results do not depend on this wait, so it has a time limit.
void OrderedCheck::wait_for_backlog() {
  std::unique_lock lock(lock_);
  if (most_ended_ == 0 || ended_.size() <= most_ended_) return;
  ++behind_;
  caught_up_.wait_for(lock, std::chrono::milliseconds(20), [&] { return ended_.size() <= most_ended_ / 2; });
  --behind_;
}

void OrderedCheck::wait_for_turn(unsigned shard, std::uint64_t linear) {
  std::unique_lock lock(lock_);
  ++waiting_;
  while (!is_turn(shard, linear) && lowest_failed_.load() > linear)
    turned_.wait_for(lock, std::chrono::milliseconds(20));
  --waiting_;
}

std::vector<Observers::BlockFindings> OrderedCheck::take_findings() {
  std::vector<GlobalRaceDetector::BlockFinding> found;
  for (const auto& shard : shards_) std::ranges::move(shard->race.take_findings(), std::back_inserter(found));
  std::ranges::stable_sort(
      found, {}, [](const GlobalRaceDetector::BlockFinding& one) { return std::pair(one.block, one.order); });
  std::vector<Observers::BlockFindings> out;
  for (GlobalRaceDetector::BlockFinding& one : found) {
    if (out.empty() || out.back().block != one.block) out.push_back({one.block, {}});
    out.back().findings.push_back(std::move(one.finding));
  }
  return out;
}

}  // namespace warpgrade::emulator
