// Execution of a warp that holds undefined values: what the scheduler, the observers and handlers of calls
// see of the shadow interpreter (definedness/shadow_interpreter.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

struct Access;

// Thrown where undefined values have to be followed from now on: continue at `at`, by step(). An observer
// throws it before a read of unwritten memory is done, with the instruction that is to be run again; a
// handler that left such values in registers, with the next one.
struct ShadowRestart {
  const DecodedInstruction* at = nullptr;
  bool again = true;
};

// Undefined values of one block's registers, shared and local memory.
class ShadowExecution {
 public:
  virtual ~ShadowExecution() = default;

  virtual bool any(const Warp& warp) const = 0;  // does the warp hold an undefined value?
  // Runs one instruction together with its effect on the undefined values. The next instruction.
  virtual const DecodedInstruction* step(Warp& warp, const DecodedInstruction* at) = 0;
  // `at`, in the activation Warp::frame, has given an undefined value to these lanes. `read`: see Undefined.
  virtual void undefine(const Warp& warp, const DecodedInstruction* at, std::uint32_t lanes,
                        std::uint32_t read) = 0;
  // Parameters of a call are copied from one frame to another.
  virtual void copy_local(const Warp& warp, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) = 0;

  // --- for observers, while step() runs an instruction: Observers::following ---

  virtual void access(const Access& access) = 0;  // each access of the instruction
  // `bytes` of what a lane reads by this access were never written. `read`: see Undefined.
  virtual void bring(unsigned lane, std::uint64_t bytes, std::uint32_t read) = 0;
  // The read whose undefined value was stored to this byte of shared memory; kNoRead: none.
  static constexpr std::uint32_t kNoRead = ~0u;
  virtual std::uint32_t behind(std::uint64_t offset) const = 0;
};

class ShadowFactory {
 public:
  virtual ~ShadowFactory() = default;
  virtual bool may_restart(const Access& access) const = 0;  // may the access's instruction be run again?
  virtual std::unique_ptr<ShadowExecution> start(Block& block) const = 0;
};

}  // namespace warpgrade::emulator
