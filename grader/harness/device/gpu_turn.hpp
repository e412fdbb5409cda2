// The turn of one process on a GPU that several share.
#pragma once
#include <chrono>
#include <filesystem>

namespace warpgrade::harness {

// While an object of this class exists, no other process that takes turns uses the GPU, so nothing disturbs
// what is timed. A process prepares its data and judges results outside its turns. The turn is the lock of a
// file (flock), which ends with the process: a kernel that never ends is killed with its process, and then
// the next process gets the turn. One object at a time.
class GpuTurn {
 public:
  GpuTurn();  // waits for the processes before
  ~GpuTurn();
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;

  // The file whose lock is the turn; empty: each turn begins at once. Throws UsageError if it cannot be
  // opened.
  static void use(const std::filesystem::path& file);
  // How long this process has waited for its turns.
  static std::chrono::steady_clock::duration waited();
};

}  // namespace warpgrade::harness
