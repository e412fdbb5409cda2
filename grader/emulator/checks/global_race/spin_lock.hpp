// A lock for critical sections shorter than a context switch.
#pragma once

#include <atomic>
#include <thread>

namespace warpgrade::emulator {

class SpinLock {
 public:
  void lock() {
    for (unsigned tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries >= kTries) std::this_thread::yield();  // the owner may not be running
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned kTries = 64;
  std::atomic<bool> taken_{false};
};

}  // namespace warpgrade::emulator
