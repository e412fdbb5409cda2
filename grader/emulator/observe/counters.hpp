// What a launch did, in the words of Nsight Compute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpgrade::observe {

// Enumerators, metric names and meanings: one row each in observe/metrics.def.
enum class Metric : std::uint8_t {
#define METRIC(id, name, meaning) id,
#include "observe/metrics.def"
#undef METRIC
  count_
};
const char* name(Metric metric);  // "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"

// By access site (instruction): what a line's loads and stores cost.
struct SiteCounters {
  std::uint64_t executions = 0;     // by warps
  std::uint64_t lanes = 0;          // active lanes over all of them
  std::uint64_t sectors = 0;        // global, local
  std::uint64_t lines = 0;          // of 128 bytes: global
  std::uint64_t ideal_sectors = 0;  // had the same bytes been packed
  std::uint64_t wavefronts = 0;     // shared
  std::uint64_t ideal_wavefronts = 0;
  std::uint64_t divergent = 0;  // branches that split the running lanes
};

struct Counters {
  std::uint64_t value[static_cast<int>(Metric::count_)] = {};
  std::map<std::uint32_t, SiteCounters> sites;  // by Instruction::index
  std::uint64_t argument_bytes = 0;  // of a launch: size of the allocations that its arguments point into
  std::uint64_t& operator[](Metric m) { return value[static_cast<int>(m)]; }
  std::uint64_t operator[](Metric m) const { return value[static_cast<int>(m)]; }
  void add(const Counters& other);
};

}  // namespace warpgrade::observe
