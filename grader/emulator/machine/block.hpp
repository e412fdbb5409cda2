// One block while it runs: shared memory, parameters, and the state that all warps of the block share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "machine/memory/device_memory.hpp"
#include "machine/program.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {
class BlockChecks;
class LockHolders;
class Observers;
class StepRecorder;
struct ReadLog;

struct LaunchRequest;
class ShadowFactory;
struct LaunchOptions;

struct Block {
  Dim3 index;                // blockIdx
  std::uint64_t linear = 0;  // x fastest
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;  // static + dynamic
  std::uint32_t warps = 0;
  std::uint32_t threads = 0;
  const LaunchRequest* launch = nullptr;
  const Program* program = nullptr;
  DeviceMemory* memory = nullptr;
  const std::byte* parameters = nullptr;  // the kernel's parameters, in host memory
  std::uint64_t parameters_at = 0;  // their device address if the kernel takes the address of one; else 0
  Observers* observers = nullptr;   // never null; each observer in it may be off
  std::string* output = nullptr;    // device printf of this block
  const ShadowFactory* shadow = nullptr;  // null: undefined values are not tracked
  ReadLog* reads = nullptr;               // log for plain reads of shared memory; null: report each read
  LockHolders* locks = nullptr;           // the launch's lock holders; never null
  bool* atomics_changed = nullptr;        // set by an atomic that changes memory; null: not needed
  StepRecorder* recorder = nullptr;       // null: the block is not recorded
  std::uint64_t global_atomics = 0;       // of warps, where accesses are observed
  bool only_counted = false;              // the counters alone observe accesses
  BlockChecks* checks = nullptr;          // from block_begin to block_end
  std::shared_ptr<void> copies;           // ops/memory/pending_copies: cp.async not yet waited for
};

}  // namespace warpgrade::emulator
