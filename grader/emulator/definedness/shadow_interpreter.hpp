// Shadow interpreter for undefined values. It propagates definedness through registers, shared and local
// memory until the program depends on an undefined value: in a branch, an address, an atomic, a store to
// global memory or output. Reading an undefined value without using it is no error: merge sorts read the key
// after the last one, scans shuffle unused lanes, pipelines load one fragment too many. The same holds for
// the value that a shuffle returns for a lane that does not take part (ops/undefined_shuffle.hpp).
//
// A block has no cost before its first undefined value: then ShadowRestart is thrown, and step() executes the
// warp's instructions for as long as the warp holds an undefined value.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "definedness/instruction_flow.hpp"
#include "definedness/mma.hpp"
#include "definedness/propagation_rules.hpp"
#include "machine/shadow_execution.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct BlockRun;

class ShadowInterpreter : public ShadowExecution {
 public:
  explicit ShadowInterpreter(BlockRun& run);
  ~ShadowInterpreter() override;

  bool any(const Warp& warp) const override;
  const DecodedInstruction* step(Warp& warp, const DecodedInstruction* at) override;
  void undefine(const Warp& warp, const DecodedInstruction* at, std::uint32_t lanes,
                std::uint32_t read) override;
  void begin(const Warp& warp, std::uint32_t slot, std::uint32_t bytes, std::uint32_t read) override;
  void copy_local(const Warp& warp, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) override;
  void access(const Access& access) override;
  void bring(unsigned lane, std::uint64_t bytes, std::uint32_t read) override;
  std::uint32_t origin_of(std::uint64_t offset) const override;

 private:
  struct Slot {  // slot of a register
    std::uint32_t lanes = 0;
    std::array<Undefined, kWarpSize> of{};
  };
  struct WarpShadow {
    std::unordered_map<const std::byte*, Slot> slots;
    std::unordered_map<std::uint64_t, std::uint32_t> local;  // offset · 32 + lane → read
  };
  // The memory accesses of the current instruction, by lane.
  struct PendingAccess {
    std::array<std::uint64_t, kWarpSize> undefined{}, address{};
    std::array<std::uint32_t, kWarpSize> read{};
    std::array<ptx::Space, kWarpSize> space{};
    unsigned bytes = 0;
    std::uint32_t stores = 0;  // lanes
    bool brought = false;      // by bring(): a lane reads undefined bytes
  };
  class Operands;
  // Indexed like the registers that the instruction writes; empty if all results are defined.
  using Results = std::vector<UndefinedRegister>;

  const InstructionFlow& flow_of(const DecodedInstruction* at);
  WarpShadow& of(const Warp& warp) { return warps_[warp.index]; }
  Slot* slot_of(const Warp& warp, const std::byte* frame, const InstructionFlow& flow, std::int32_t reg);
  void put(const Warp& warp, const std::byte* frame, const InstructionFlow& flow, std::int32_t reg,
           std::uint32_t lanes, const UndefinedRegister& values);
  void define(const Warp& warp, const std::byte* frame, const InstructionFlow& flow, std::uint32_t lanes);
  void report_use(const Warp& warp, const DecodedInstruction* at, std::uint32_t read);
  void report_use(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow,
                  std::uint32_t lanes);
  void report_arguments(const Warp& warp, const DecodedInstruction* at);
  Results results_of(const Warp& warp, const InstructionFlow& flow, std::uint32_t lanes);
  void mix(const Warp& warp, const InstructionFlow& flow, std::uint32_t lanes, Results& results);
  template <class Use>
  void each_undefined(const Warp& warp, const InstructionFlow& flow, const ptx::Operand& operand,
                      const Use& use);
  void shuffle(const Warp& warp, const InstructionFlow& flow, Results& results);
  void exchange(const Warp& warp, const InstructionFlow& flow, Results& results);
  void load_results(const InstructionFlow& flow, Results& results) const;
  void load_fragment(const InstructionFlow& flow, Results& results);
  bool is_padding(const Warp& warp, const InstructionFlow& flow, unsigned lane);
  void store(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow);
  void store_fragment(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow);
  std::array<std::uint64_t, kWarpSize> merge_operands(const Warp& warp, const InstructionFlow& flow);
  void merge(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow,
             const std::array<std::uint64_t, kWarpSize>& operands);
  void mark_memory(const Warp& warp, unsigned lane, std::uint64_t missing, std::uint32_t read);

  BlockRun& run_;
  std::vector<WarpShadow> warps_;
  std::unordered_map<const DecodedInstruction*, InstructionFlow> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> shared_;  // byte → read
  PendingAccess access_;
  bool separate_ = false;                // record each access of the current instruction separately
  std::vector<PendingAccess> accesses_;  // the completed ones
  // Results of shuffles that the current instruction completed.
  struct UndefinedResult {
    const std::byte* frame;
    const InstructionFlow* flow;
    std::uint32_t lanes, read;
  };
  void put(const Warp& warp, const UndefinedResult& result);
  std::vector<UndefinedResult> shuffled_;
};

const ShadowFactory& shadow_interpreters();

}  // namespace warpgrade::emulator
