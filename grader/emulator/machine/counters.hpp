// What a launch did, in the words of Nsight Compute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpgrade::emulator {

// Enumerators, metric names and meanings: one row each in machine/metrics.def.
enum class Metric : std::uint8_t {
#define METRIC(id, name, meaning) id,
#include "machine/metrics.def"
#undef METRIC
  count_
};
const char* name(Metric metric);  // "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"

// Indexed by access site (instruction): what a line's loads and stores cost.
struct SiteCounters {
  std::uint64_t executions = 0;     // by warps
  std::uint64_t lanes = 0;          // active lanes over all of them
  std::uint64_t sectors = 0;        // global, local
  std::uint64_t lines = 0;          // lines of 128 bytes, global memory only
  std::uint64_t ideal_sectors = 0;  // had the same bytes been packed
  std::uint64_t wavefronts = 0;     // shared
  std::uint64_t ideal_wavefronts = 0;
  std::uint64_t divergent = 0;   // branches that split the running lanes
  std::uint32_t allocation = 0;  // Footprint::allocation of what it accessed first; 0: not sampled
};

// Accesses of one kind by the sampled blocks to one allocation (profile/footprint.hpp).
struct Footprint {
  enum class Kind : std::uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  std::uint32_t allocation = 0;  // its serial number
  std::uint64_t allocation_bytes = 0;
  std::uint64_t blocks = 0;          // sampled blocks with such accesses
  std::uint64_t requests = 0;        // by warps
  std::uint64_t bytes = 0;           // asked for by lanes
  std::uint64_t sectors = 0;         // distinct ones of each request, added up
  std::uint64_t lines = 0;           // lines of 128 bytes, global memory only
  std::uint64_t passes = 0;          // loads: through banks that are like those of shared memory
  std::uint64_t missed_sectors = 0;  // loads: not in the 128 lines that the warp loaded last
  std::uint64_t warp_sectors = 0;    // distinct ones of each warp, added up
  std::uint64_t block_sectors = 0;   // sum over the blocks
  std::uint64_t pair_sectors = 0;    // sum over the pairs of neighbouring blocks
  std::uint64_t launch_sectors = 0;  // distinct sectors of all these blocks together
  std::uint64_t launch_lines = 0;
  std::uint64_t reach_lines = 0;        // lines from the lowest to the highest
  std::uint64_t block_reach_lines = 0;  // sum of that over the blocks
  std::uint64_t on_a_word = 0;  // atomics: most lanes on one word of each sector of each request, added up
  void add(const Footprint& other);
};
const char* name(Footprint::Kind kind);

struct Counters {
  std::uint64_t value[static_cast<int>(Metric::count_)] = {};
  std::map<std::uint32_t, SiteCounters> sites;  // indexed by DecodedInstruction::index
  std::uint64_t argument_bytes = 0;   // for a launch, size of the allocations that its arguments point into
  std::vector<Footprint> footprints;  // for a launch, in order of the allocations' numbers
  std::uint64_t& operator[](Metric m) { return value[static_cast<int>(m)]; }
  std::uint64_t operator[](Metric m) const { return value[static_cast<int>(m)]; }
  void add(const Counters& other);
};

}  // namespace warpgrade::emulator
