// Decodes one function of a kernel's code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/memory/local_frame.hpp"
#include "analysis/registers/constant_registers.hpp"
#include "analysis/registers/register_allocation.hpp"
#include "analysis/synchronization/barrier_bypass.hpp"
#include "machine/decode_context.hpp"
#include "machine/kernel_code.hpp"
#include "machine/program_impl.hpp"
#include "ops/memory/affine.hpp"

namespace warpgrade::emulator {

// The functions of one Code while it is made.
struct KernelDecoding {
  Program::Impl& program;
  const KernelInfo& kernel;
  CodeVariant variant;
  Code& code;
  std::unordered_map<std::string, std::int32_t> function_index;  // in Code::functions, by name

  // `immediate` of the instruction at `position` becomes the address of the instruction at `target`.
  struct Fixup {
    std::uint32_t position = 0, target = 0;
  };
  std::vector<Fixup> fixups;
};

class FunctionDecoder final : public DecodeContext {
 public:
  FunctionDecoder(KernelDecoding& decoding, CodeFunction& into);
  void run();

  // DecodeContext (decode/operands.cpp)
  const ptx::Function& function() const override { return function_; }
  const ptx::Module& module() const override { return decoding_.program.module; }
  std::uint32_t slot(const ptx::Operand& operand, ptx::Type type) override;
  ptx::Type declared(const ptx::Operand& operand, ptx::Type otherwise) const override;
  std::uint32_t constant(std::uint64_t bits, ptx::Type type) override;
  std::uint32_t scratch(ptx::Type type) override;
  std::uint8_t load_uses() const override { return uses_.empty() ? std::uint8_t{0} : uses_[current_]; }
  void keep(std::shared_ptr<const void> data) override { decoding_.code.kept.push_back(std::move(data)); }
  Symbol symbol(const std::string& name, ptx::TextPosition place) override;
  [[noreturn]] void unsupported(const ptx::Instruction& at, const std::string& why) override;

 private:
  // Operands (decode/operands.cpp)
  std::uint32_t append_slot(ptx::Type type);
  std::uint32_t register_slot(std::int32_t r);
  std::uint32_t parameter_slot(const ptx::Operand& source, ptx::Type loaded, ptx::Type type);
  std::uint32_t parameter_address(std::uint32_t offset);
  std::uint32_t special_slot(const ptx::Operand& operand, ptx::Type type);
  std::uint32_t symbol_slot(const ptx::Operand& operand, ptx::Type type);
  std::uint32_t mask_operand(const ptx::Operand& operand);

  // The body (decode/function.cpp)
  DecodedInstruction& emit(Handler handler);
  void find_unset_registers();
  void decode_block(std::uint32_t block);
  void decode_counted(std::uint32_t first, std::uint32_t end);
  void decode(std::uint32_t i);
  void decode_plain(const ptx::Instruction& from);
  void trap(const ptx::Instruction& from, const std::string& message);
  void add_guard(const ptx::Instruction& from, DecodedInstruction& to);
  Observation observation() const;
  void use_pattern(const ptx::Instruction& from, DecodedInstruction& to);
  void track_address_patterns(const ptx::Instruction& from);
  void count(const ptx::Instruction& from, CountedBlock& counted);
  ptx::Instruction with_stack_addresses(const ptx::Instruction& from) const;
  void rank_positions();

  // Control flow (decode/control.cpp)
  bool decode_control(const ptx::Instruction& from);
  void branch(const ptx::Instruction& from);
  bool ends_iteration(std::uint32_t from_block, std::uint32_t to_block, DecodedInstruction& to) const;
  void branch_to(DecodedInstruction& to, std::uint32_t target, Handler forward, Handler backward);
  void skip_unless_guard(const ptx::Instruction& from);
  void watch_branch(std::uint32_t position, bool negated);
  Watched passed_by(const BypassBranch& branch, std::uint32_t position);
  const std::vector<std::uint32_t>& barriers_called(const ptx::Instruction& call);
  void indexed_branch(const ptx::Instruction& from);
  void call(const ptx::Instruction& from);
  void leave();
  void allocate(const ptx::Instruction& from);
  std::vector<CallSite::Passed> passed(const ptx::Operand& list, const ptx::Instruction& from) const;
  void barrier(const ptx::Instruction& from);
  bool reads_of_others(const ptx::Instruction& call);
  void fence(const ptx::Instruction& from);
  bool decode_collective(const ptx::Instruction& from);

  struct Pending {  // a jump whose target has no position yet
    std::uint32_t position = 0, block = 0;
  };

  KernelDecoding& decoding_;
  CodeFunction& into_;
  ptx::Function function_;  // a copy with one more register: the stack pointer
  const ptx::Function& source_;
  std::uint32_t first_index_ = 0;
  ControlFlow flow_;
  ConstantRegisters constants_;
  std::vector<std::uint8_t> uses_;  // indexed by instruction: see find_load_uses()
  RegisterSlots slots_;
  std::uint32_t saved_stack_ =
      kNoOperand;  // slot of the alloca stack pointer that a called function restores on return
  LocalLayout local_;
  std::int32_t stack_register_ = -1;
  std::vector<std::uint32_t>
      pattern_slots_;                       // indexed by register: slot of its AddressPattern, or kNoOperand
  std::vector<AccessRange> shared_ranges_;  // indexed by register

  std::vector<BypassBranch> watched_, skipping_;
  std::map<std::string, std::vector<std::uint32_t>>
      barriers_called_;                          // DecodedInstruction::index, by function
  std::map<std::string, bool> reads_of_others_;  // indexed by function
  std::uint32_t current_ = 0;                    // instruction being decoded
  std::vector<std::uint32_t> leader_position_;   // indexed by block
  std::vector<std::pair<std::uint32_t, std::uint32_t>> block_begins_;  // position, block
  std::vector<Pending> pending_;
  std::vector<std::pair<std::uint32_t, JumpTable*>>
      tables_;  // block indices in JumpTable::index until the end

  std::map<std::pair<std::uint64_t, ptx::Type>, std::uint32_t> constant_slots_;
  std::map<std::pair<Special, ptx::Type>, std::uint32_t> special_slots_;
  std::map<std::tuple<std::uint32_t, ptx::Type, ptx::Type>, std::uint32_t> parameter_slots_;
  std::map<std::uint32_t, std::uint32_t> address_slots_;
  std::vector<std::uint32_t> register_constants_;  // indexed by register: slot of a constant register
  std::map<ptx::Type, std::vector<std::uint32_t>> scratch_slots_;
  std::map<ptx::Type, std::size_t> scratch_taken_;  // scratch slots that the current instruction uses
  std::uint32_t free_masks_ = 0, masks_end_ = 0;    // predicate-sized slots not yet given out
};

}  // namespace warpgrade::emulator
