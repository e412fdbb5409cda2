// SIGINT and SIGTERM while kernels run: launches end and report their findings, then the signal ends the
// process.
#pragma once

#include <atomic>

namespace warpgrade::cudart {

// While one exists, the two signals set `requested()`, unless the program handles them itself. A second
// signal ends the process at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;

  static const std::atomic<bool>* requested();
  // Raises the signal that came, if one did, with its default action: does not return then.
  static void raise_requested();
};

}  // namespace warpgrade::cudart
