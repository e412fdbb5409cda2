// Interface through which the scheduler and the observers report each step of a recorded block (recording/).
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

struct Access;

class StepRecorder {
 public:
  virtual ~StepRecorder() = default;
  // The warp is about to execute `at`. A step that begins again without an end has not happened.
  virtual void begin(const Warp& warp, const DecodedInstruction* at) = 0;
  virtual void end() = 0;
  // An access of the step, before it is done.
  virtual void access(const Access& access) = 0;
  // A barrier has opened: lanes of other warps continue.
  virtual void barrier_opened() = 0;
};

}  // namespace warpgrade::emulator
