// Counters of a launch, by the metric names of Nsight Compute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpgrade::emulator {

// Enumerators, metric names and meanings: one row each in machine/counters/metrics.def.
enum class Metric : std::uint8_t {
#define METRIC(id, name, meaning) id,
#include "machine/counters/metrics.def"
#undef METRIC
  count_
};
const char* name(Metric metric);  // "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"

// Counters of one access site, which is an instruction: the cost of a source line's loads and stores.
struct SiteCounters {
  std::uint64_t executions = 0;        // by warps
  std::uint64_t lanes = 0;             // active lanes, summed over the executions
  std::uint64_t sectors = 0;           // global, local; words of constant memory; values of a match
  std::uint64_t lines = 0;             // lines of 128 bytes, global memory only
  std::uint64_t ideal_sectors = 0;     // the minimum, if the same bytes were adjacent
  std::uint64_t wavefronts = 0;        // shared
  std::uint64_t ideal_wavefronts = 0;  // of atomics: tries
  std::uint64_t divergent = 0;         // executions of a branch at which the running lanes diverged
  // Of accesses to global memory by sampled blocks (profile/footprint.hpp):
  std::uint32_t allocation = 0;  // Footprint::allocation of the first one; 0: none
  std::uint64_t sampled = 0;     // requests
  std::uint64_t missed = 0;      // of loads: requests with a sector that Footprint::missed_sectors counts
};

// Accesses of one kind by the sampled blocks to one allocation (profile/footprint.hpp).
struct Footprint {
  enum class Kind : std::uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  std::uint32_t allocation = 0;  // Allocation::serial
  std::uint64_t allocation_bytes = 0;
  std::uint64_t blocks = 0;    // sampled blocks with such accesses
  std::uint64_t requests = 0;  // by warps
  std::uint64_t bytes = 0;     // requested, summed over the lanes
  std::uint64_t sectors = 0;   // distinct sectors of each request, summed
  std::uint64_t lines = 0;     // lines of 128 bytes, global memory only
  std::uint64_t passes = 0;    // loads: passes through the L1 cache's banks, counted as for shared memory
  std::uint64_t joined_sectors = 0;  // stores: sectors that the warp's last stores wrote, too
  std::uint64_t missed_sectors = 0;  // loads: sectors outside the last 128 lines that the warp loaded
  std::uint64_t warp_sectors = 0;    // distinct sectors of each warp, summed
  std::uint64_t block_sectors = 0;   // distinct sectors of each block, summed
  std::uint64_t pair_sectors = 0;    // distinct sectors of each pair of neighbouring blocks, summed
  std::uint64_t launch_sectors = 0;  // distinct sectors of all sampled blocks together
  std::uint64_t launch_lines = 0;
  std::uint64_t reach_lines = 0;        // lines from the lowest to the highest
  std::uint64_t block_reach_lines = 0;  // reach_lines of each block, summed
  std::uint64_t on_a_word = 0;  // atomics: for each sector of a request, the most lanes on one word; summed
  void add(const Footprint& other);
};
const char* name(Footprint::Kind kind);

struct Counters {
  std::uint64_t value[static_cast<int>(Metric::count_)] = {};
  std::map<std::uint32_t, SiteCounters> sites;  // indexed by DecodedInstruction::index
  // Executions by warps of each basic block, those that none executed too, by index of its first instruction.
  std::map<std::uint32_t, std::uint64_t> blocks;
  std::uint64_t argument_bytes = 0;   // launches: total size of the allocations that the arguments point into
  std::vector<Footprint> footprints;  // launches: sorted by Footprint::allocation
  std::uint64_t& operator[](Metric m) { return value[static_cast<int>(m)]; }
  std::uint64_t operator[](Metric m) const { return value[static_cast<int>(m)]; }
  void add(const Counters& other);
};

}  // namespace warpgrade::emulator
