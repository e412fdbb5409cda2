#include "checks/shared_race/vector_clocks.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {

void VectorClockHistory::block_begin(std::uint32_t words, std::uint32_t warps, std::uint32_t now) {
  if (words_.size() < words) words_.resize(words);
  if (now < now_)  // the clock has been reset
    for (WordHistory& word : words_) word = {};
  now_ = now;
  warps_ = warps;
  arrived_.clear();
  block_barrier();
}

// Orders all earlier accesses before all later ones.
void VectorClockHistory::block_barrier() {
  floor_ = ++now_;
  tick_.assign(warps_, floor_);
  lanes_.clear();
  lanes_.resize(warps_);
  before_.resize(warps_);
  for (WarpClock& clock : before_) {
    clock.assign(kMostWarps + 1, floor_);
    clock.back() = 0;
  }
  fenced_.assign(warps_, WarpClock());
}

void VectorClockHistory::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  tick_[warp] = ++now_;
  if (mask == kFullMask) {
    before_[warp][warp] = now_;
    lanes_[warp].reset();
    return;
  }
  if (!lanes_[warp]) lanes_[warp] = std::make_unique<LaneClock>(before_[warp][warp]);
  lanes_[warp]->meet(mask, now_);
}

void VectorClockHistory::raise(WarpClock& to, const WarpClock& by) {
  for (std::size_t i = 0; i < to.size() && i < by.size(); ++i) to[i] = std::max(to[i], by[i]);
}

void VectorClockHistory::arrival(std::uint32_t warp, std::uint32_t id) {
  WarpClock& to = arrived_[id];
  to.resize(warps_, floor_);
  raise(to, before_[warp]);
  tick_[warp] = to[warp] = ++now_;
}

// Order between warps is kept for whole warps: if only some lanes of a warp take part, all of them count.
// This can hide a race but never invents one.
void VectorClockHistory::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  const auto arrived = arrived_.extract(id);
  WarpClock all = arrived ? arrived.mapped() : WarpClock();
  all.resize(warps_, floor_);
  for (std::uint32_t warp = 0; warp < warps_; ++warp)
    if (warp_masks[warp] != 0) raise(all, before_[warp]);
  ++now_;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    if (warp_masks[warp] == 0) continue;
    all[warp] = now_;
    warp_barrier(warp, warp_masks[warp]);
  }
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    if (warp_masks[warp] == 0) continue;
    const std::uint32_t own = before_[warp][warp];
    raise(before_[warp], all);
    before_[warp][warp] = own;
  }
}

void VectorClockHistory::fence(std::uint32_t warp) {
  fenced_[warp] = before_[warp];
  tick_[warp] = fenced_[warp][warp] = ++now_;
}

// Lanes of the record whose accesses are ordered before the current access by a lane of `warp`.
std::uint32_t VectorClockHistory::ordered(const Record& earlier, std::uint32_t warp,
                                          std::uint32_t lane) const {
  if (earlier.warp != warp) return earlier.time < before_[warp][earlier.warp] ? earlier.lanes : 0;
  if (earlier.time < before_[warp][warp]) return earlier.lanes;
  std::uint32_t found = earlier.lanes & 1u << lane;
  if (!lanes_[warp]) return found;
  for (std::uint32_t left = earlier.lanes; left != 0; left &= left - 1)
    if (earlier.time < lanes_[warp]->before(lane, static_cast<std::uint32_t>(std::countr_zero(left))))
      found |= left & -left;
  return found;
}

// Both accesses must be synchronising ones: the write atomic, or volatile after a fence (which enter() treats
// as atomic); the other at least volatile.
bool VectorClockHistory::excused(const Record& earlier, const HistoryAccess& now) const {
  const auto fits = [](bool write, Strength strength) {
    return strength == Strength::atomic || (!write && strength == Strength::is_volatile);
  };
  return fits(earlier.write, earlier.strength) && fits(now.write, now.strength);
}

std::optional<VectorClockHistory::Conflict> VectorClockHistory::conflict_with(
    const Record& earlier, const HistoryAccess& now) const {
  if ((earlier.bytes & now.bytes) == 0 || (!earlier.write && !now.write) || excused(earlier, now)) return {};
  const std::uint32_t others =
      earlier.lanes & ~ordered(earlier, now.thread / kWarpSize, now.thread % kWarpSize);
  if (others == 0) return {};
  return Conflict{earlier.warp * 32u + static_cast<std::uint32_t>(std::countr_zero(others)),
                  earlier.instruction, earlier.write};
}

// A record is redundant once a later access of the same kind is ordered after it: an access that races with
// the earlier one races with the later one too. Without this, polling a flag would add one record per
// iteration.
std::uint32_t VectorClockHistory::outdated(const Record& earlier, const HistoryAccess& now) const {
  if (earlier.read != now.read || earlier.write != now.write || earlier.strength != now.strength) return 0;
  if ((earlier.bytes & ~now.bytes) != 0) return 0;
  return ordered(earlier, now.thread / kWarpSize, now.thread % kWarpSize);
}

void VectorClockHistory::remember_update(WordHistory& word, const HistoryAccess& access, std::uint32_t lanes,
                                         std::uint32_t time) const {
  const std::uint32_t warp = access.thread / kWarpSize;
  if (word.updates.size() < warps_) word.updates.resize(warps_);
  std::vector<Updates>& of_warp = word.updates[warp];
  const auto same_sort = [&](const Updates& each) {
    return each.bytes == access.bytes && each.read == access.read && each.write == access.write;
  };
  auto to = std::find_if(of_warp.begin(), of_warp.end(), same_sort);
  if (to == of_warp.end())
    to = of_warp.insert(to, {static_cast<std::uint8_t>(warp), access.bytes, access.read, access.write});
  to->lanes |= lanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    to->time[lane] = time;
    to->instruction[lane] = access.instruction;
  }
}

void VectorClockHistory::remember(WordHistory& word, const HistoryAccess& access, std::uint32_t time) const {
  if (access.strength == Strength::atomic)
    return remember_update(word, access, 1u << access.thread % kWarpSize, time);
  const auto warp = static_cast<std::uint8_t>(access.thread / kWarpSize);
  const std::uint32_t lane = 1u << access.thread % kWarpSize;
  for (Record& each : word.records) {
    if (each.time != time || each.warp != warp || each.instruction != access.instruction ||
        each.bytes != access.bytes || each.strength != access.strength || each.write != access.write)
      continue;
    each.lanes |= lane;
    return;
  }
  word.records.push_back(
      {time, access.instruction, lane, warp, access.bytes, access.read, access.write, access.strength});
}

void VectorClockHistory::add_unchecked(const HistoryAccess& access, std::uint32_t lanes, std::uint32_t time) {
  if (time < floor_) return;
  WordHistory& word = words_[access.word];
  if (access.strength == Strength::atomic) return remember_update(word, access, lanes, time);
  const auto warp = static_cast<std::uint8_t>(access.thread / kWarpSize);
  std::erase_if(word.records, [&](Record& each) {
    const bool again = each.warp == warp && each.time <= time && each.read == access.read &&
                       each.write == access.write && each.strength == access.strength &&
                       (each.bytes & ~access.bytes) == 0;
    if (again) each.lanes &= ~lanes;  // a repetition by the same threads
    return each.lanes == 0;
  });
  word.records.push_back(
      {time, access.instruction, lanes, warp, access.bytes, access.read, access.write, access.strength});
}

VectorClockHistory::SharedRelease& VectorClockHistory::release_of(std::uint32_t word) {
  std::unique_ptr<SharedRelease>& released = words_[word].released;
  if (!released) released = std::make_unique<SharedRelease>();
  if (released->floor != floor_) {
    released->floor = floor_;
    released->all.assign(warps_, floor_);
    released->own.assign(warps_, floor_);
  }
  return *released;
}

void VectorClockHistory::hand_on(std::uint32_t from, std::uint32_t to) {
  const SharedRelease* found = words_[from].released.get();
  if (found == nullptr || found->floor != floor_) return;
  SharedRelease& released = release_of(to);
  raise(released.all, found->all);
  raise(released.own, found->own);
}

// Accesses of a flag's writer before its fence are ordered before later accesses of the flag's reader. A
// reader without a fence of its own is trusted, which can hide a race but never invents one.
void VectorClockHistory::release(const HistoryAccess& access) {
  const std::uint32_t warp = access.thread / kWarpSize;
  if (access.strength == Strength::plain) return;
  if (access.releases) fence(warp);
  if (fenced_[warp].empty()) return;
  SharedRelease& released = release_of(access.word);
  raise(released.all, fenced_[warp]);
  released.own[warp] = std::max(released.own[warp], fenced_[warp][warp]);
}

void VectorClockHistory::acquire(const HistoryAccess& access) {
  const SharedRelease* found = words_[access.word].released.get();
  if (found == nullptr || found->floor != floor_ || access.strength == Strength::plain) return;
  const std::uint32_t warp = access.thread / kWarpSize;
  // A flag that another warp released does not order this warp's lanes among each other. A flag that a lane
  // of this warp released does: one lane releases a lock, and the next lane acquires it.
  const std::uint32_t own = before_[warp][warp];
  raise(before_[warp], found->all);
  before_[warp][warp] = std::max(own, found->own[warp]);
}

std::optional<VectorClockHistory::Conflict> VectorClockHistory::conflict_with_updates(
    const WordHistory& word, const HistoryAccess& now) const {
  if (now.strength == Strength::atomic) return {};
  for (const std::vector<Updates>& of_warp : word.updates)
    for (const Updates& each : of_warp)
      for (std::uint32_t left = each.lanes; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        if (each.time[lane] < floor_) continue;
        const Record one{
            each.time[lane], each.instruction[lane], left & -left, each.warp, each.bytes, each.read,
            each.write,      Strength::atomic};
        if (excused(one, now)) break;  // then the record's other lanes are excused, too
        if (const std::optional<Conflict> met = conflict_with(one, now)) return met;
      }
  return {};
}

std::optional<VectorClockHistory::Conflict> VectorClockHistory::enter(const HistoryAccess& asked) {
  HistoryAccess access = asked;
  if (access.strength == Strength::is_volatile && access.write && !fenced_[access.thread / kWarpSize].empty())
    access.strength = Strength::atomic;
  if (access.read && access.acquires) acquire(access);
  WordHistory& word = words_[access.word];
  std::vector<Record>& records = word.records;
  std::optional<Conflict> met;
  std::size_t kept = 0;
  for (Record& each : records) {
    if (each.time < floor_) continue;  // before the block's last barrier
    if (!met) met = conflict_with(each, access);
    each.lanes &= ~outdated(each, access);
    if (each.lanes != 0) records[kept++] = each;
  }
  records.resize(kept);
  if (!met) met = conflict_with_updates(word, access);
  remember(word, access, now_);
  if (access.write) release(access);
  return met;
}

// Whether an access by `lanes` of one warp may race with `earlier`. Precondition: no part of the warp has
// synchronised without the rest, so the warp's clock holds for all its lanes.
bool VectorClockHistory::may_conflict(const Record& earlier, const HistoryAccess& now,
                                      std::uint32_t lanes) const {
  if (earlier.time < floor_ || (!earlier.write && !now.write) || (earlier.bytes & now.bytes) == 0)
    return false;
  const std::uint32_t warp = now.thread / kWarpSize;
  return earlier.time >= before_[warp][earlier.warp] && (earlier.warp != warp || earlier.lanes != lanes);
}

// As remember(), and drops the records that this access makes redundant: an access that races with a record
// ordered before a write races with the write.
void VectorClockHistory::remember_quietly(WordHistory& word, const HistoryAccess& access,
                                          std::uint32_t lanes) const {
  const auto warp = static_cast<std::uint8_t>(access.thread / kWarpSize);
  std::size_t kept = 0;
  bool joined = false;
  for (Record& each : word.records) {
    if (each.time < floor_) continue;
    const bool of_warp = each.warp == warp,
               same_sort = each.write == access.write && each.strength == access.strength;
    if ((each.bytes & ~access.bytes) == 0 && (access.write || same_sort)) {
      if (each.time < before_[warp][each.warp]) continue;
      const bool same = !access.write && of_warp && each.time == now_ && each.bytes == access.bytes &&
                        each.instruction == access.instruction;
      joined |= same;
      if (same)
        each.lanes |= lanes;
      else if (of_warp && same_sort)
        each.lanes &= ~lanes;
    }
    if (each.lanes != 0) word.records[kept++] = each;
  }
  word.records.resize(kept);
  if (joined) return;
  word.records.push_back(
      {now_, access.instruction, lanes, warp, access.bytes, access.read, access.write, access.strength});
}

bool VectorClockHistory::enter_quietly(const HistoryAccess& access, std::uint32_t lanes) {
  const std::uint32_t warp = access.thread / kWarpSize;
  const bool atomic = access.strength == Strength::atomic, many = (lanes & (lanes - 1)) != 0;
  if (lanes_[warp]) return false;
  if (access.write && !atomic && (many || access.strength != Strength::plain)) return false;
  if (access.write && atomic && many && access.acquires) return false;
  WordHistory& word = words_[access.word];
  if (access.strength == Strength::plain && !word.updates.empty()) return false;
  if (access.read && access.acquires) acquire(access);
  for (const Record& each : word.records)
    if (may_conflict(each, access, lanes)) return false;
  if (atomic)
    remember_update(word, access, lanes, now_);
  else
    remember_quietly(word, access, lanes);
  if (access.write) release(access);
  return true;
}

}  // namespace warpgrade::emulator
