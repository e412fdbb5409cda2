// Fewer lanes for a while.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Warp::active is restored also where an observer restarts the instruction (ShadowRestart).
class Narrowed {
 public:
  Narrowed(Warp& warp, std::uint32_t lanes) : warp_(warp), before_(warp.active) { warp.active = lanes; }
  ~Narrowed() { warp_.active = before_; }
  Narrowed(const Narrowed&) = delete;
  Narrowed& operator=(const Narrowed&) = delete;

 private:
  Warp& warp_;
  const std::uint32_t before_;
};

}  // namespace warpgrade::emulator
