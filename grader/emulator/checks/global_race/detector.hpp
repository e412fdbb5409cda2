// Races on global memory within one launch: two accesses to the same bytes by different threads, at least one
// of them a plain write, with nothing that orders them.
//
// Two threads of one block are ordered by its barriers (checks/clocks/block_clock.hpp). Two threads of
// different blocks are ordered only by release and acquire (happens_before.hpp):
// - The writer releases by a fence and then an atomic, volatile, .relaxed or .release write of a word.
// - The reader reads this word by an atomic, volatile, .relaxed or .acquire access. It acquires by .acquire,
//   or by a fence after its read ("Release and Acquire Patterns" of the PTX ISA, section 8.8). An atomic
//   without a fence after it is trusted.
// - A barrier is no fence: it synchronises with the barriers of its own block only (section 8.9.4), and
//   passes on what its threads have seen.
// - Reads before a barrier of the block need no fence: a thread that sees a word written after that barrier
//   may overwrite what was read.
// A plain read between a .relaxed or .volatile load of the word and the fence is a finding of its own, a
// warning. So is a read after an acquire of block scope (section 8.7, morally strong operations).
//
// Each unit of memory has one shadow word, of its last writer or of its readers, and a second one if another
// thread reads it after it was written. Of readers in many blocks the first represents all: every reported
// race is one, and a missed one would need a third block between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checks/clocks/block_clock.hpp"
#include "checks/global_race/hand_over.hpp"
#include "checks/global_race/happens_before.hpp"
#include "checks/global_race/shadow/lanes/shadow_row.hpp"
#include "checks/global_race/shadow/shadow_pages.hpp"
#include "checks/global_race/shadow/shadow_word.hpp"
#include "machine/kernel_facts/flag_loads.hpp"
#include "machine/launch.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// An access of one warp in a form that can be stored and checked later.
struct GlobalAccess {
  Allocation* allocation = nullptr;  // null if there are several
  std::uint64_t first[2] = {0, 0};
  const std::uint64_t* address = nullptr;  // [32]; null if both halves are known
  const std::uint16_t* hash = nullptr;     // [32]; hashes of the written values
  std::uint32_t instruction = 0, warp = 0, mask = 0;
  std::uint32_t event = 0;   // number of the event in its block, which orders the findings of several shards
  std::uint32_t silent = 0;  // lanes that write the value that memory holds already
  Access::Kind kind = Access::Kind::read;
  Access::LanePattern half[2] = {Access::LanePattern::scattered, Access::LanePattern::scattered};
  std::uint8_t bytes = 0;
  bool is_volatile = false, is_strong = false, releases = false, of_block = false;
  bool is_data = false, takes_lock = false;  // see Access
  bool in_row = false;                       // the lanes access adjacent elements
  bool in_shared = false;  // an access to shared memory: recorded only because it may order others

  bool known() const { return address == nullptr; }
  bool is_plain() const { return kind != Access::Kind::atomic && !is_strong && !is_volatile; }
  std::uint64_t of(unsigned lane) const {
    if (address != nullptr) return address[lane];
    return first[lane / 16] +
           (half[lane / 16] == Access::LanePattern::packed ? std::uint64_t{lane % 16} * bytes : 0);
  }
};

// An access made while a lock was held, with no fence of device scope since the lock was taken.
struct Unfenced {
  std::uint64_t lock = 0;  // address of the lock
  bool within = false;     // a fence of block scope was executed
  bool met = false;        // a barrier was executed
  GlobalShadowWord record;
};

// The lock that a warp took last by an atomic of constants (see LoadUse). A later write by the same warp
// releases it.
struct HeldLock {
  std::uint64_t word = 0;             // address of the lock; 0: none
  bool fenced = false;                // a fence was executed since it was taken
  bool fenced_within = false;         // a fence of block scope was, which does not order other blocks
  bool met = false;                   // a barrier was, which does not order other blocks either
  HappensBefore::Pointer unacquired;  // what earlier holders released; the next fence acquires it
  std::vector<std::uint64_t> seen;    // addresses of words accessed without a fence
  std::vector<Unfenced> done;         // the accesses to these words
};

// The state of a warp at its last fence: its block's clock and what it had acquired. A thread that sees a
// flag written after the fence is ordered after that state.
struct Fenced {
  WarpClock wide;                       // the block's clocks at the last fence of device scope; empty: none
  WarpClock within;                     // and at the last one of block scope
  HappensBefore::Pointer known;         // acquired from other blocks before the fence of device scope
  HappensBefore::Pointer known_within;  // and before the one of block scope
  HappensBefore::Pointer all;           // what another block may acquire; null until needed

  bool any() const { return !wide.empty() || !within.empty(); }
};

// A word through which warps of one block synchronise.
struct BlockFlag {
  WarpClock clock;
  HappensBefore::Pointer known;
};

// Happens-before sets and fences of warps that have arrived at a barrier without waiting.
struct Arrived {
  HappensBefore::Pointer known, seen, near, reads;
  Fenced fenced;
};

// A read of a word that another block has stored, with nothing that orders the two. All uses of the value
// come after the wait for a flag.
struct EarlyRead {
  std::uint64_t address = 0;
  std::uint32_t instruction = 0, thread = 0, event = 0;
  std::uint8_t bytes = 0;
  GlobalShadowWord store;
};

// State of one block while its events are checked.
struct GlobalBlock {
  std::uint64_t linear = 0;
  BlockClock order;
  std::uint32_t first_segment = 0;  // smaller numbers belong to other blocks
  std::uint32_t segment = 0, segment_time = 0;
  std::uint32_t first_run = 0, floor = 0;     // the first segment since the last barrier
  std::vector<HappensBefore::Pointer> known;  // indexed by warp: acquired from other blocks
  // Indexed by warp: what its non-acquiring loads saw, and what those of the warps saw that it met at
  // barriers. The warp's next fence acquires it.
  std::vector<HappensBefore::Pointer> seen;
  // Indexed by warp: what it acquired with block scope, which orders it after no other block. Its next fence
  // of a wider scope acquires this from other blocks, too.
  std::vector<HappensBefore::Pointer> near;
  std::vector<WarpClock> seen_within;  // indexed by warp: clocks of its own block that it saw
  std::vector<Fenced> fenced;          // indexed by warp
  bool any_known = false;
  bool new_fences = false;                             // a warp fenced since all warps synchronised
  std::unordered_map<std::uint64_t, BlockFlag> flags;  // indexed by offset
  // Indexed by warp: the happens-before set that holds for reads only. own_reads: this block's reads before
  // its last barrier. See note_reads().
  std::vector<HappensBefore::Pointer> known_reads;
  HappensBefore::Pointer own_reads;
  std::uint32_t own_reads_time = 0;
  bool any_known_reads = false;
  std::vector<EarlyRead> early;                        // the last one of each thread and load
  PolledBlocks polled;                                 // flags of other blocks that it has waited for
  std::vector<HeldLock> locks;                         // indexed by warp; empty until one is taken
  std::unordered_map<std::uint32_t, Arrived> arrived;  // indexed by barrier
};

// The race check of one launch's global memory. Not thread-safe. Blocks may be passed in any order, but it
// must be the same on each run.
class GlobalRaceDetector {
 public:
  // `base`: the first segment, from DeviceMemory::next_race_segment(). `flags`: the kernel's; null: none.
  GlobalRaceDetector(const LaunchRequest& request, DeviceMemory& memory, std::uint32_t base,
                     const FlagLoads* flags = nullptr);

  void begin(GlobalBlock& block, std::uint64_t linear);
  void access(GlobalBlock& block, const GlobalAccess& access);
  void block_barrier(GlobalBlock& block);
  void warp_barrier(GlobalBlock& block, std::uint32_t warp, std::uint32_t mask);
  void arrival(GlobalBlock& block, std::uint32_t warp, std::uint32_t id);
  void partial_barrier(GlobalBlock& block, std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(GlobalBlock& block, std::uint32_t warp, bool of_block);
  static void phase_completed(GlobalBlock& block, std::uint32_t offset);

  struct BlockFinding {
    std::uint64_t block = 0, order = 0;  // `order` sorts a block's findings by access and lane
    Finding finding;
  };
  std::vector<BlockFinding> take_findings();
  std::uint32_t warps() const { return warps_; }  // warps of a block
  std::uint32_t next_segment() const { return base_ + static_cast<std::uint32_t>(segments_.size()); }

 private:
  // One lane's part of an access that lies in one unit.
  struct GlobalWordAccess {
    std::uint64_t* last = nullptr;
    ShadowPages::Page* page = nullptr;
    ShadowPages* shadow = nullptr;
    std::uint64_t address = 0, whole = 0;  // of this part, and of the lane's whole access
    std::uint32_t thread = 0, hash = 0;
    bool silent = false;
  };
  struct GlobalConflict {
    GlobalShadowWord with;
    std::uint32_t thread = 0;
    bool writes = false, same_value = false, atomic = false;
    bool lacks_fence = false;  // ordered by a lock, but the lock was taken without a fence
    bool is_stale = false;     // ordered, but read from a cache that does not follow writes
    bool is_seen = false;      // ordered only by a flag or lock that was read without acquiring
    bool is_torn = false;      // one of two stores whose words a single load reads
    bool is_early = false;     // read before the wait for the flag that orders the two
  };
  struct Lane {
    const GlobalAccess& access;
    GlobalBlock& block;
    std::uint32_t site = 0;
  };
  // Consecutive lanes, from `lane` on, that access adjacent words or all the same word.
  struct Run {
    unsigned lane = 0, lanes = 0;
    std::uint64_t offset = 0;
    bool packed = false;
  };
  // A word through which blocks synchronise. A thread that has read it since its last write is ordered after
  // all its writes.
  struct Released {
    HappensBefore::Pointer known;
    bool by_holder = false;  // a released lock
    std::uint64_t writes = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> seen;  // writes, by block
    std::unordered_map<std::uint64_t, BlockFlag> within;    // released by a fence of block scope, by block
  };
  // The place of an access in the program.
  struct AccessSite {
    std::uint32_t instruction = 0;
    std::uint64_t used = 0;  // bytes, a bit for each
    bool is_volatile = false, is_data = false;
    bool is_non_coherent = false;  // ld.global.nc
    bool only_sees = false;        // ld.relaxed, ld.volatile: acquires only with a fence after it
    bool polls = false, is_untested = false, is_early = false;  // see FlagLoads
    bool may_set_flag = false;                                  // a store, or an exchange that does not poll
    bool counts = false;                                        // another atomic that does not poll
    const WideLoad* wide = nullptr;  // null: it reads no words that are stored one by one
  };
  // Block and time of one segment number, as GlobalShadowWord::segment() names it.
  struct Segment {
    std::uint32_t run = 0;  // index in runs_: consecutive segments of one block share an entry
    std::uint32_t time = 0;
  };

  std::uint32_t site_of(const GlobalAccess& access);
  const AccessSite& place_of(GlobalShadowWord record) const;
  std::uint32_t present_segment(const GlobalBlock& block) const;
  bool renew_segment(GlobalBlock& block);
  std::uint32_t time_of(GlobalShadowWord record) const { return segments_[record.segment() - base_].time; }
  std::uint64_t block_of(GlobalShadowWord record) const {
    return runs_[segments_[record.segment() - base_].run];
  }
  bool is_fresh(GlobalShadowWord record) const { return record.segment() >= base_; }

  // Defined in fast_path.cpp. False: the general rules decide; no shadow word has changed.
  bool whole_is_plain(const Lane& at);
  bool half_is_plain(const Lane& at, unsigned half);
  std::uint32_t without_plain(const Lane& at, std::uint32_t lanes);
  std::uint32_t without_updates(const Lane& at, std::uint32_t lanes);
  bool may_run(const Lane& at) const;
  bool run_is_plain(const Lane& at, const Run& run);
  static Run run_from(const GlobalAccess& access, const std::uint64_t* address, std::uint32_t left);
  std::uint32_t without_runs(const Lane& at, std::uint32_t lanes);
  bool updates_may_be_plain(const Lane& at) const;
  bool word_is_plain(const Lane& at, unsigned lane, std::uint32_t floor, std::uint64_t& record,
                     const std::uint64_t* since) const;
  std::uint32_t floor_of(const GlobalBlock& block) const;
  bool rows_are_plain(const Lane& at, unsigned half, unsigned halves, std::uint64_t offset);
  bool is_past(const GlobalBlock& block, GlobalShadowWord record) const;
  std::uint32_t past_rows(const GlobalBlock& block, const std::uint64_t* rows, unsigned count) const;
  static void prefetch(const GlobalAccess& access, std::uint32_t lanes, ShadowPages& shadow,
                       ShadowPages::Page** pages);
  bool words_are_plain(const Lane& at, unsigned lane, std::uint32_t floor, ShadowPages::Page& page,
                       std::size_t word);
  void lane(const Lane& at, unsigned lane);
  void before_lane(const Lane& at, std::uint64_t address, std::uint32_t thread);
  void after_lane(const Lane& at, std::uint64_t address, std::uint32_t thread);
  void order_by_shared(const Lane& at);
  std::optional<GlobalConflict> enter(const Lane& at, const GlobalWordAccess& piece);
  std::optional<GlobalConflict> enter_read(const Lane& at, const GlobalWordAccess& piece);
  std::optional<GlobalConflict> enter_plain_write(const Lane& at, const GlobalWordAccess& piece);
  std::optional<GlobalConflict> enter_strong(const Lane& at, const GlobalWordAccess& piece);
  std::optional<GlobalConflict> find_strong_conflict(const Lane& at, const GlobalWordAccess& piece,
                                                     GlobalShadowWord last) const;
  std::optional<GlobalConflict> find_torn_store(const Lane& at, const GlobalWordAccess& piece) const;
  void note_volatile_read(const Lane& at, const GlobalWordAccess& piece) const;
  std::optional<GlobalConflict> conflict_with(const Lane& at, const GlobalWordAccess& piece,
                                              GlobalShadowWord with) const;
  std::optional<GlobalConflict> conflict_with_readers(const Lane& at, const GlobalWordAccess& piece) const;
  bool ordered(const Lane& at, std::uint32_t thread, GlobalShadowWord with, std::uint32_t earlier) const;
  bool is_only_seen(const Lane& at, const GlobalWordAccess& piece, GlobalShadowWord with) const;
  bool fence_was_too_small(const Lane& at, const GlobalWordAccess& piece, GlobalShadowWord with) const;
  GlobalShadowWord with_one_more(const Lane& at, const GlobalWordAccess& piece, GlobalShadowWord known,
                                 bool atomic) const;
  GlobalShadowWord readers_since(const GlobalWordAccess& piece) const;
  void forget_readers(const GlobalWordAccess& piece) const;
  bool has_seen(const Lane& at, std::uint64_t address) const;
  void acquire(const Lane& at, std::uint64_t address);
  void acquire_shared(const Lane& at, std::uint64_t offset);
  void release_shared(const Lane& at, std::uint64_t offset);
  void note_reads(const Lane& at, std::uint64_t address);
  void note_poll(const Lane& at, std::uint64_t address, std::uint32_t thread);
  void note_store(const Lane& at, std::uint64_t address, std::uint32_t thread);
  void note_early(const Lane& at, const GlobalWordAccess& piece) const;
  void settle_early(GlobalBlock& block, std::uint32_t warp);
  void release(const Lane& at, std::uint64_t address);
  static void share_all(GlobalBlock& block, const std::uint32_t* warp_masks, const Arrived& arrived);
  static void share_fences(GlobalBlock& block, const std::uint32_t* warp_masks, const Fenced& arrived);
  // Locks: defined in lock_acquire.cpp.
  bool is_under_lock(const Lane& at) const;
  void take_lock(const Lane& at, std::uint64_t word);
  void give_back_lock(const Lane& at, std::uint64_t address);
  static void pass_barriers(GlobalBlock& block, const std::uint32_t* warp_masks);
  static void pass_barrier(GlobalBlock& block, std::uint32_t warp);
  static void pass_fence(GlobalBlock& block, std::uint32_t warp, bool of_block);
  void check_under_lock(const Lane& at);
  bool knows_after_fence(const Lane& at, GlobalShadowWord with) const;
  void report(const Lane& at, unsigned lane, std::uint64_t address, const GlobalConflict& met);

  const LaunchRequest& request_;
  DeviceMemory& memory_;
  const std::uint32_t warps_;  // warps of a block
  const std::uint32_t base_;
  const FlagLoads* const flags_;  // null if no load relies on a flag
  const GlobalFast fast_;
  HandOvers hand_overs_;
  bool worn_out_ = false;                                 // all segment numbers are used: the check ends
  std::vector<Segment> segments_;                         // only segments that a shadow word names
  std::vector<std::uint64_t> runs_;                       // blocks
  std::vector<std::uint16_t> sites_;                      // indexed by DecodedInstruction::index; 0: none yet
  std::vector<AccessSite> places_;                        // indexed by site
  std::unordered_map<std::uint64_t, Released> released_;  // indexed by word
  std::unordered_map<std::uint64_t, Unfenced> unfenced_;  // indexed by word
  std::unordered_map<std::uint64_t, HappensBefore::Pointer> reads_before_;  // indexed by word
  std::vector<BlockFinding> found_;
};

}  // namespace warpgrade::emulator
