// RAII guard: restricts Warp::active to some of its lanes for a scope.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Warp::active is restored also where an observer restarts the instruction (ShadowRestart).
class ActiveMaskGuard {
 public:
  ActiveMaskGuard(Warp& warp, std::uint32_t lanes) : warp_(warp), before_(warp.active) {
    warp.active = lanes;
  }
  ~ActiveMaskGuard() { warp_.active = before_; }
  ActiveMaskGuard(const ActiveMaskGuard&) = delete;
  ActiveMaskGuard& operator=(const ActiveMaskGuard&) = delete;

 private:
  Warp& warp_;
  const std::uint32_t before_;
};

}  // namespace warpgrade::emulator
