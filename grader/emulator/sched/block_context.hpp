// The memory in which a worker runs one block after another: frames, shared and local memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// What all blocks of a launch have in common.
struct LaunchSetting {
  const LaunchRequest* request = nullptr;
  const Code* code = nullptr;
  DeviceMemory* memory = nullptr;
  const std::byte* parameters = nullptr;
  std::uint64_t parameters_at = 0;
  LaunchFacts facts;
  std::uint32_t shared_bytes = 0;
  std::uint64_t step_limit = 0;
  bool scalar = false;
  bool in_turns = false;
  bool check_barrier = true, check_init = true;
  const ShadowFactory* shadow = nullptr;
  LockHolders* locks = nullptr;
  const std::atomic<std::uint64_t>* lowest_failed = nullptr;
  const std::atomic<bool>* interrupt = nullptr;
};

class BlockContext {
 public:
  BlockContext(const LaunchSetting& setting, Observers& observers, InstructionCounts* counts);
  ~BlockContext();
  BlockContext(const BlockContext&) = delete;

  // Prepares the context to run the block with this linear index.
  void start(std::uint64_t linear);
  BlockRun& run() { return run_; }
  std::string& output() { return output_; }

 private:
  BlockRun run_;
  const LaunchSetting& setting_;
  std::string output_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t memory_bytes_ = 0;
};

}  // namespace warpgrade::emulator
