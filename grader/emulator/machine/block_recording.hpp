// One block of a launch, recorded step by step: what recording/ makes and a player shows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/finding.hpp"
#include "machine/trace.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

struct Allocation;
struct LaunchRequest;

struct RecordingRequest {
  Dim3 block{0, 0, 0};
  std::uint64_t first = 0;       // steps before it are executed, not kept
  std::uint64_t most = 200'000;  // steps that are kept
  std::size_t most_bytes = std::size_t{48} << 20;
};

// A register of the recording.
struct RecordedRegister {
  std::int32_t function = -1;  // in ptx::Module::functions
  std::int32_t reg = -1;       // in ptx::Function::registers
};

// Global memory that the block has accessed, or was given a pointer to.
struct RecordedMemory {
  const Allocation* allocation = nullptr;
  // Unwritten addresses when the block began or first accessed this memory: [begin, end).
  std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten;
};

struct BlockRecording {
  RecordingRequest request;
  std::uint64_t steps = 0;  // kept
  std::uint64_t all = 0;    // executed
  bool complete = false;    // the block ended, or failed, and all its steps from `first` on are kept
  bool failed = false;      // the last step did not end: it is the fault
  std::vector<RecordedRegister> registers;
  std::uint32_t shared_bytes = 0;  // of the block
  std::vector<RecordedMemory> memory;
  std::string bytes;  // docs/player.md describes them
};

// The first line of a recording's file; docs/player.md describes it.
std::string to_json(const BlockRecording& recording, const LaunchRequest& request,
                    const std::vector<TracedArray>& arrays, const std::vector<Finding>& findings,
                    const std::string& label, std::uint64_t launch);

}  // namespace warpgrade::emulator
