// One kernel launch, from a checked request to its findings and counters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/block_recording.hpp"
#include "machine/compute_capability.hpp"
#include "machine/counters/counters.hpp"
#include "machine/finding.hpp"
#include "machine/memory/touched_memory.hpp"
#include "machine/program.hpp"
#include "machine/trace.hpp"
#include "machine/trap.hpp"

namespace warpgrade::emulator {

// Limits of the emulated GPU, made from grader/gpus/*.toml by cudart::limits().
struct DeviceLimits {
  ComputeCapability sm;
  Dim3 max_block, max_grid;
  int sm_count = 0;
  std::string name;
};

struct LaunchOptions {
  bool check_memory = true;  // explanation of faults; bounds are checked even without it
  bool check_race = true;
  bool check_init = true;
  bool check_barrier = true;
  bool count = true;
  Recording touched = Recording::none;  // LaunchResult::touched
  bool trace = false;                   // record every access of one block
  Dim3 trace_block{0, 0, 0};
  std::optional<RecordingRequest> record;  // record one block step by step, on one worker
  bool scalar = false;                     // reference path: each lane on its own
  int threads = 0;                         // workers; 0: the machine's cores
  std::uint64_t step_limit = 0;            // warp instructions of one block; 0: none
  std::uint64_t sample = 0;  // run only this many blocks, evenly spread, and scale the counts; 0: every block
  bool in_turns = false;     // blocks run interleaved, in a random order; one worker
  const std::atomic<bool>* interrupt = nullptr;  // set while the launch runs: it ends as at the step limit
};

struct LaunchRequest {
  const KernelInfo* kernel = nullptr;
  Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
  std::span<const std::byte> parameters;  // laid out as KernelInfo::parameters says
  bool cooperative = false;
  std::uint32_t max_dynamic_shared = 0;  // cudaFuncSetAttribute's opt-in, 0: none
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::success;
  std::vector<Finding> findings;  // in block order, deduplicated, capped
  Counters counters;
  std::string output;                       // device printf, in block order
  std::vector<TraceEvent> trace;            // events of LaunchOptions::trace_block, if asked for
  std::optional<BlockRecording> recording;  // of LaunchOptions::record, if its block ran
  std::vector<TracedArray> arrays;          // for the trace or the recording
  // Memory in which the launch may leave values for a later one: names of module variables, "the device
  // heap".
  std::vector<std::string> kept;
  TouchedMemory touched;  // global memory that it accessed, if asked for
};

// Runs to the end. The result does not depend on the number of workers: blocks start in order, and
// of blocks that fail the lowest decides; later ones are as if they had not run.
LaunchResult launch(const LaunchRequest& request, DeviceMemory& memory, const DeviceLimits& limits,
                    const LaunchOptions& options);

}  // namespace warpgrade::emulator
