// Events of the running kernel, for the checks and the counters. Each worker has one Observers.
//
// Handlers that read or write memory come in two versions; a launch picks the one that calls access()
// only when something watches, so that an observer that is off costs nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/block.hpp"
#include "machine/counters/access_counts.hpp"
#include "machine/counters/counters.hpp"
#include "machine/finding.hpp"
#include "machine/launch.hpp"
#include "machine/memory/allocation_cache.hpp"
#include "machine/trace.hpp"

namespace warpgrade::emulator {
struct Code;
struct SharedArrayBounds;
class ShadowExecution;

// One warp's access, after its bounds have been checked and before it is done.
struct Access {
  enum class Kind : std::uint8_t { read, write, atomic };
  const DecodedInstruction* at = nullptr;
  const Warp* warp = nullptr;
  ptx::Space space = ptx::Space::global;  // the resolved space, never generic
  Kind kind = Kind::read;
  bool is_volatile = false;  // .volatile
  bool is_strong = false;    // .relaxed, .acquire, .release: strong accesses do not race with each other
  bool releases = false;     // .release, .acq_rel
  bool of_block = false;     // .cta
  bool is_async = false;     // cp.async, cp.async.bulk
  bool is_bulk = false;      // cp.async.bulk: one access for each part of the copy
  bool is_data = false;      // volatile or atomic, but not a flag: LoadUse::control_relevant is unset
  bool takes_lock = false;   // an atomic of constants, which acquires nothing by itself
  std::uint8_t bytes = 0;    // bytes of one lane, all vector elements together
  std::uint32_t mask = 0;
  // [32]; device addresses, or offsets in shared or local memory. May be null if both halves are known.
  const std::uint64_t* address = nullptr;
  const void* value = nullptr;  // writes: the new bytes, `bytes` for each lane side by side; may be null

  // Address pattern of lanes 0–15 and of 16–31, where the handler knows it; scattered unless the mask is
  // full.
  enum class LanePattern : std::uint8_t {
    scattered,
    packed,   // lane i of the half is at its first address + i·bytes
    uniform,  // all at one address
  };
  LanePattern half[2] = {LanePattern::scattered, LanePattern::scattered};
  std::uint64_t first[2] = {0, 0};  // address of lanes 0 and 16, where their halves are known

  // Address of an active lane. Code in lanes/ must not call this: it calls no inline function of other code.
  std::uint64_t of(unsigned lane) const {
    if (address != nullptr) return address[lane];
    return first[lane / 16] + (half[lane / 16] == LanePattern::packed ? std::uint64_t{lane % 16} * bytes : 0);
  }
  bool known() const { return half[0] != LanePattern::scattered && half[1] != LanePattern::scattered; }
  Allocation* allocation = nullptr;  // global memory: that of all lanes; null if there are several
};

constexpr const char* name_of(Access::Kind kind) {
  return kind == Access::Kind::read ? "read" : kind == Access::Kind::write ? "write" : "atomic";
}

// A warp's cp.async when it is issued: its cost depends on both source and target.
struct CopyIssue {
  const DecodedInstruction* at = nullptr;
  std::uint32_t mask = 0, zeroed = 0;     // lanes that copy; those of them that read nothing and write zeros
  unsigned bytes = 0;                     // bytes of one lane
  const std::uint64_t* source = nullptr;  // [32]; of lanes that read
  const std::uint64_t* target = nullptr;  // [32]; offsets in shared memory
};

// One lane's cp.async.bulk when it is issued.
struct BulkIssue {
  const DecodedInstruction* at = nullptr;
  const Warp* warp = nullptr;
  std::uint32_t lane = 0, bytes = 0;
  ptx::Space source_space = ptx::Space::global;
  std::uint64_t source = 0;  // device address, or offset in shared memory
};

// Lanes of a warp that arrived at an mbarrier in one phase.
struct MbarrierArrival {
  const DecodedInstruction* at = nullptr;
  const Warp* warp = nullptr;
  std::uint32_t lanes = 0, offset = 0;  // the offset of the mbarrier in shared memory
  std::uint32_t phase = 0;              // that the arrivals count for, modulo 8
};

class OrderedCheck;
class Footprints;
class TouchedBytes;

class Observers {
 public:
  Observers(const LaunchOptions& options, const Program& program);
  ~Observers();

  bool wants_accesses() const;  // true if a check or the trace needs accesses, not only the counters
  // Sets the race check of global memory, shared by all workers of a launch. Without it the check is off.
  void share(OrderedCheck* global);
  // Sets the object that collects the footprints of some blocks, shared by all workers of a launch.
  void share(Footprints* footprints);
  // Sets the object that records which bytes of global memory are accessed, shared by all workers of a
  // launch.
  void share(TouchedBytes& touched);
  // Sets up the checks that this code needs.
  void prepare(const Code& code);
  // The shared array that the access of this instruction belongs to; null where that is not known.
  const SharedArrayBounds* shared_array(std::uint32_t instruction) const;

  void block_begin(Block& block);
  void access(const Access& access);
  void copy_issued(const CopyIssue& copy);
  void bulk_copy_issued(const BulkIssue& copy);
  // Every live thread of the block has arrived at `at`: accesses before the barrier are ordered before
  // accesses after it.
  void block_barrier(Block& block, const DecodedInstruction* at);
  // The warp arrived at barrier `id` of the block and continues without waiting for it.
  void arrival(const Warp& warp, std::uint32_t id);
  // Barrier `id` releases lanes, one mask for each warp. Their later accesses are ordered after those of all
  // threads that arrived at the barrier.
  void partial_barrier(Block& block, std::uint32_t id, const std::uint32_t* warp_masks);
  // bar.warp.sync over these lanes.
  void warp_barrier(const Warp& warp, std::uint32_t mask);
  void mbarrier_arrived(const MbarrierArrival& arrival);
  // A phase of the mbarrier at this offset of shared memory is complete: a thread that reads the second half
  // of its word from now on is ordered after the threads that have written the first half.
  void phase_completed(const Block& block, std::uint32_t offset);
  void fence(const Warp& warp, ptx::Space scope);
  // Earlier writes to shared memory are visible to later bulk copies (fence.proxy.async).
  void proxy_fence(const Warp& warp);
  void block_end(Block& block);  // also called for a block that failed; its findings are kept

  // The warp begins with a register that has no value; `reader` may read it first. Returns the number for
  // depend_on_read().
  std::uint32_t unset_register(const Warp& warp, std::uint32_t reader);
  // Instruction `at` (DecodedInstruction::index) depends on a value from uninitialised memory, which the read
  // with the number `read` of PendingReads loaded.
  void depend_on_read(Block& block, std::uint32_t read, std::uint32_t at);
  // Whether that read got a word that cudaMemset has set only in part, and that is no padding of a structure.
  bool has_cut_word(Block& block, std::uint32_t read) const;
  // Lanes of the running warp got undefined values from a shuffle. The finding is reported when something
  // depends on them. The number for depend_on_read(); ShadowExecution::kNoRead if they need not be followed.
  std::uint32_t undefined_shuffle(const Warp& warp, Finding finding);
  // Marks this byte of shared or global memory as undefined: an undefined value was stored there.
  void mark_undefined(Block& block, ptx::Space space, std::uint64_t address);

  // Adds a finding of the current block: deduplicated by kind and instruction, capped at 100 per block.
  void report(Block& block, Finding finding);

  // Findings of the finished blocks, counters and trace so far. Each call moves them out.
  struct BlockFindings {
    std::uint64_t block = 0;
    std::vector<Finding> findings;
  };
  std::vector<BlockFindings> take_findings();
  Counters take_counters();
  std::vector<TraceEvent> take_trace();  // events of the traced block, if it ran here

  // Allocation that each memory instruction accessed last (ops/memory): of one worker and launch.
  AllocationCache allocations;
  // The shadow interpreter of the instruction that runs; null if none of the warp's values is undefined.
  ShadowExecution* following = nullptr;
  // Indexed by DecodedInstruction::index; null if nothing is counted.
  AccessRow* rows = nullptr;

 private:
  void update_deferred_read_log(Block& block);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The findings of all workers up to and including block `last`, in block order, one for each kind and
// source line (for races: pair of lines), `times` added up, files and lines filled in, at most 100.
std::vector<Finding> merge(std::vector<std::vector<Observers::BlockFindings>> workers, std::uint64_t last,
                           const Program& program);

// threadIdx of a lane.
Dim3 thread_of(const Warp& warp, int lane);

// One JSON object on one line. `label` is what warpgradeLabel() said last, `launch` counts from 1.
std::string to_json(const Finding& finding, const std::string& label, std::uint64_t launch,
                    const std::string& kernel);
// How often later launches showed a finding at the same place.
struct RepeatedFinding {
  std::string label, kernel;
  FindingKind kind{};
  Site site;
  std::uint64_t launches = 0, times = 0;
};
std::string to_json(const RepeatedFinding& repeated);
std::string to_json(const Counters& counters, const std::string& label, std::uint64_t launch,
                    const LaunchRequest& request);

}  // namespace warpgrade::emulator
