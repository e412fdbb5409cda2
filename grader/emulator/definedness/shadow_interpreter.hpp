// Values that nothing wrote, followed through registers, shared and local memory until something depends on
// them: a branch, an address, an atomic, a store to global memory, output. What is read in vain is no fault:
// merge sorts read the key behind the last one, scans shuffle rests, pipelines load a fragment too many.
//
// A block pays for it from its first such read on: the observer throws ShadowRestart, and the warp's
// instructions are run by step() for as long as the warp holds an undefined value.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "definedness/instruction_flow.hpp"
#include "definedness/mma.hpp"
#include "definedness/propagation_rules.hpp"
#include "machine/shadow_execution.hpp"
#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct BlockRun;

class ShadowInterpreter : public ShadowExecution {
 public:
  explicit ShadowInterpreter(BlockRun& run);
  ~ShadowInterpreter() override;

  bool any(const Warp& warp) const override;
  const Instruction* step(Warp& warp, const Instruction* at) override;
  void copy_local(const Warp& warp, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) override;
  void access(const Access& access) override;
  void bring(unsigned lane, std::uint64_t bytes, std::uint32_t read) override;
  std::uint32_t behind(std::uint64_t offset) const override;

 private:
  struct Slot {  // of a register
    std::uint32_t lanes = 0;
    std::array<Undefined, kWarpSize> of{};
  };
  struct OfWarp {
    std::unordered_map<const std::byte*, Slot> slots;
    std::unordered_map<std::uint64_t, std::uint32_t> local;  // offset · 32 + lane → read
  };
  // What the running instruction does to memory, lane by lane.
  struct Doing {
    std::array<std::uint64_t, kWarpSize> brought{}, address{};
    std::array<std::uint32_t, kWarpSize> read{};
    std::array<ptx::Space, kWarpSize> space{};
    unsigned bytes = 0;
    std::uint32_t stores = 0;  // lanes
  };
  class Operands;
  using Results = std::vector<UndefinedRegister>;  // by register that is written

  const InstructionFlow& flow_of(const Instruction* at);
  OfWarp& of(const Warp& warp) { return warps_[warp.index]; }
  Slot* slot_of(const Warp& warp, const std::byte* frame, const InstructionFlow& flow, std::int32_t reg);
  void put(const Warp& warp, const std::byte* frame, const InstructionFlow& flow, std::int32_t reg,
           unsigned lane, Undefined value);
  void depend(const Warp& warp, const Instruction* at, std::uint32_t read);
  void depend(const Warp& warp, const Instruction* at, const InstructionFlow& flow, std::uint32_t lanes);
  void depend_on_arguments(const Warp& warp, const Instruction* at);
  Results results_of(const Warp& warp, const InstructionFlow& flow, std::uint32_t lanes);
  void exchange(const Warp& warp, const InstructionFlow& flow, Results& results);
  void bring_results(const InstructionFlow& flow, Results& results) const;
  void bring_fragment(const InstructionFlow& flow, Results& results);
  bool is_padding(const Warp& warp, const InstructionFlow& flow, unsigned lane);
  void store(const Warp& warp, const Instruction* at, const InstructionFlow& flow);
  void store_fragment(const Warp& warp, const Instruction* at, const InstructionFlow& flow);
  std::array<std::uint64_t, kWarpSize> merged_with(const Warp& warp, const InstructionFlow& flow);
  void merge(const Warp& warp, const Instruction* at, const InstructionFlow& flow,
             const std::array<std::uint64_t, kWarpSize>& operands);
  void keep(const Warp& warp, unsigned lane, std::uint64_t missing, std::uint32_t read);

  BlockRun& run_;
  std::vector<OfWarp> warps_;
  std::unordered_map<const Instruction*, InstructionFlow> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> shared_;  // byte → read
  Doing doing_;
  bool in_parts_ = false;     // each access of the running instruction is kept apart
  std::vector<Doing> parts_;  // those that are done
};

const ShadowFactory& shadow_interpreters();

}  // namespace warpgrade::emulator
