// Interface of the shadow interpreter (definedness/shadow_interpreter.hpp), which executes warps that hold
// undefined values. The scheduler, the observers and the handlers of calls use it.
#pragma once

#include <cstdint>
#include <memory>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

struct Access;

// Thrown where the shadow interpreter must take over: step() continues at `at`. An observer throws it before
// a read of unwritten memory, with the same instruction; a handler that has left undefined values in
// registers, with the next one.
struct ShadowRestart {
  const DecodedInstruction* at = nullptr;
  bool again = true;
};

// Undefined values of one block's registers, shared and local memory.
class ShadowExecution {
 public:
  virtual ~ShadowExecution() = default;

  virtual bool any(const Warp& warp) const = 0;  // does the warp hold an undefined value?
  // Executes one instruction and updates the undefined values. Returns the next instruction.
  virtual const DecodedInstruction* step(Warp& warp, const DecodedInstruction* at) = 0;
  // `at`, in the activation Warp::frame, has given an undefined value to these lanes. `read`: see Undefined.
  virtual void undefine(const Warp& warp, const DecodedInstruction* at, std::uint32_t lanes,
                        std::uint32_t read) = 0;
  // Copies the definedness of call parameters from one local frame to another.
  virtual void copy_local(const Warp& warp, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) = 0;

  // The warp begins, with no value in this slot of its frame. `bytes`: of one lane. `read`: see Undefined.
  virtual void begin(const Warp& warp, std::uint32_t slot, std::uint32_t bytes, std::uint32_t read) = 0;

  // --- for observers, while step() runs an instruction: Observers::following ---

  virtual void access(const Access& access) = 0;  // each access of the instruction
  // `bytes`: a mask of the bytes that the lane reads by this access and that nothing has written. `read`: see
  // Undefined.
  virtual void bring(unsigned lane, std::uint64_t bytes, std::uint32_t read) = 0;
  // The read whose undefined value was stored to this byte of shared memory; kNoRead: none.
  static constexpr std::uint32_t kNoRead = ~0u;
  virtual std::uint32_t origin_of(std::uint64_t offset) const = 0;
};

class ShadowFactory {
 public:
  virtual ~ShadowFactory() = default;
  virtual bool may_restart(const Access& access) const = 0;  // may the access's instruction be run again?
  virtual std::unique_ptr<ShadowExecution> start(Block& block) const = 0;
};

}  // namespace warpgrade::emulator
