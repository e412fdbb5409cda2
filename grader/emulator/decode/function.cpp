#include "decode/function.hpp"

#include <algorithm>

#include "analysis/flow/def_use.hpp"
#include "analysis/flow/loop_order.hpp"
#include "analysis/memory/load_uses.hpp"
#include "analysis/registers/address_registers.hpp"
#include "isa/attribute.hpp"
#include "isa/matrix.hpp"
#include "isa/operands.hpp"
#include "machine/counters/access_counts.hpp"
#include "ops/alloca.hpp"
#include "ops/control.hpp"
#include "ops/division.hpp"
#include "ops/matrix/mma.hpp"
#include "ops/video.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;

FunctionDecoder::FunctionDecoder(KernelDecoding& decoding, CodeFunction& into)
    : decoding_(decoding), into_(into), function_(*into.source), source_(*into.source) {
  const auto number = static_cast<std::size_t>(decoding.program.functions.at(source_.name));
  first_index_ = decoding.program.first_index[number];
  flow_ = build_control_flow(source_);
  find_waiting_loops(source_, flow_, [this](const ptx::Instruction& call) { return reads_of_others(call); });
  constants_ = find_constant_registers(source_);
  if (decoding.variant.observed) uses_ = find_load_uses(source_);
  register_constants_.assign(source_.registers.size(), kNoOperand);
  std::vector<bool> elsewhere(source_.registers.size());
  for (std::size_t r = 0; r < elsewhere.size(); ++r) {
    elsewhere[r] = constants_.registers[r].kind != ConstantRegister::Kind::none;
  }
  slots_ = assign_slots(source_, find_live_intervals(source_, flow_, elsewhere));
  local_ = lay_out_local(source_);
  watched_ = find_barrier_bypasses(
      source_, flow_, [this](const ptx::Instruction& call) { return !barriers_called(call).empty(); });
  skipping_ = find_collective_bypasses(source_, flow_);
  into_.frame.bytes = into_.frame.image_begin = slots_.bytes;
  into_.local_bytes = local_.bytes;
  pattern_slots_.assign(source_.registers.size(), kNoOperand);
  const std::vector<bool> has_pattern = find_address_registers(source_, flow_);
  for (std::size_t r = 0; r < has_pattern.size(); ++r) {
    if (!has_pattern[r] || elsewhere[r]) continue;
    pattern_slots_[r] = append_slot(ptx::Type::b16);  // 64 bytes
    into_.frame.zeroed.push_back({pattern_slots_[r], sizeof(AddressPattern)});
  }
  shared_ranges_ = find_shared_ranges(source_);
  if (source_.is_entry) return;
  stack_register_ = static_cast<std::int32_t>(function_.registers.size());
  function_.registers.push_back({"%stack_pointer", ptx::Type::b64});
  into_.frame.stack_pointer = append_slot(ptx::Type::b64);
  auto place = [&](const ptx::Variable& variable) {
    const LocalLayout::LocalSlot at = local_.variables.at(variable.name);
    return CallSite::Passed{at.offset, at.bytes};
  };
  for (const ptx::Variable& parameter : source_.parameters) into_.parameters.push_back(place(parameter));
  for (const ptx::Variable& result : source_.results) into_.results.push_back(place(result));
}

void FunctionDecoder::run() {
  Code& code = decoding_.code;
  into_.entry = static_cast<std::uint32_t>(code.instructions.size());
  leader_position_.resize(flow_.blocks.size());
  if (!source_.is_entry && uses_alloca(source_)) {
    saved_stack_ = append_slot(ptx::Type::b64);
    emit(save_stack).operand[0] = saved_stack_;
  }
  for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) decode_block(b);
  for (const Loop& loop : flow_.loops) code.polls_memory |= loop.spins == SpinLoop::on_any_memory;
  into_.end = static_cast<std::uint32_t>(code.instructions.size());
  for (const Pending& jump : pending_) {
    decoding_.fixups.push_back({jump.position, leader_position_[jump.block]});
  }
  for (auto& [position, table] : tables_) {
    for (std::uint32_t& index : table->index) index = leader_position_[index];
  }
  rank_positions();
  into_.register_slots = slots_.slot;
  for (std::size_t r = 0; r < into_.register_slots.size(); ++r)
    if (register_constants_[r] != kNoOperand) into_.register_slots[r] = register_constants_[r];
  for (const RegisterSlots::SlotRange& range : slots_.zeroed)
    into_.frame.zeroed.push_back({range.slot, range.bytes});
  if (source_.is_entry) find_unset_registers();
}

void FunctionDecoder::find_unset_registers() {
  for (const std::int32_t reg : slots_.unset) {
    const ptx::Type type = source_.registers[static_cast<std::size_t>(reg)].type;
    const auto reads = [reg](const ptx::Instruction& each) {
      const std::vector<std::int32_t> read = registers_used(each).read;
      return std::find(read.begin(), read.end(), reg) != read.end();
    };
    const auto reader = std::find_if(source_.instructions.begin(), source_.instructions.end(), reads);
    const auto at = static_cast<std::uint32_t>(reader - source_.instructions.begin());
    const int bytes = type == ptx::Type::pred ? 1 : ptx::size_in_bytes(type);
    into_.unset.push_back(
        {slots_.slot[static_cast<std::size_t>(reg)], static_cast<std::uint32_t>(bytes), first_index_ + at});
  }
}

DecodedInstruction& FunctionDecoder::emit(Handler handler) {
  DecodedInstruction& made = decoding_.code.instructions.emplace_back();
  made.handler = handler;
  made.index = first_index_ + current_;
  return made;
}

// Lanes converge at a leader. A jump checks for waiting lanes itself; a block that falls through needs a
// join.
void FunctionDecoder::decode_block(std::uint32_t b) {
  const BasicBlock& block = flow_.blocks[b];
  current_ = block.first;
  block_begins_.push_back({static_cast<std::uint32_t>(decoding_.code.instructions.size()), b});
  const bool runs_into = b > 0 && flow_.blocks[b - 1].falls_through;
  if (runs_into && block.predecessors.size() > 1) {
    DecodedInstruction& join = emit(control::join);
    if (ends_iteration(b - 1, b, join)) join.handler = control::join_back;  // falls through along a back edge
  }
  leader_position_[b] = static_cast<std::uint32_t>(decoding_.code.instructions.size());
  if (!decoding_.variant.counted) {
    for (current_ = block.first; current_ < block.end; ++current_) decode(current_);
    return;
  }
  // Lanes may converge at a barrier or collective, so a new counted block begins after it.
  for (std::uint32_t first = block.first; first < block.end;) {
    std::uint32_t end = first;
    while (end < block.end) {
      if (isa::is(source_.instructions[end++], isa::Attribute::collective)) break;
    }
    decode_counted(first, end);
    first = end;
  }
}

void FunctionDecoder::decode_counted(std::uint32_t first, std::uint32_t end) {
  Code& code = decoding_.code;
  current_ = first;
  DecodedInstruction& counting = emit(control::count_block);
  counting.immediate = code.counted.size();
  counting.operand[0] = end - first;
  CountedBlock counted;
  counted.first = first_index_ + first;
  for (current_ = first; current_ < end; ++current_) {
    count(source_.instructions[current_], counted);
    decode(current_);
  }
  code.counted.push_back(counted);
}

// The block's count of arithmetic of this class; null if it is not counted.
static std::uint32_t* operations_of(CountedBlock& counted, isa::CounterClass counts) {
  using isa::CounterClass;
  return counts == CounterClass::ffma               ? &counted.ffma
         : counts == CounterClass::fadd             ? &counted.fadd
         : counts == CounterClass::fmul             ? &counted.fmul
         : counts == CounterClass::double_precision ? &counted.doubles
                                                    : nullptr;
}

// A guarded operation is counted at run time, by the number of its active lanes.
void FunctionDecoder::count(const ptx::Instruction& from, CountedBlock& counted) {
  ++counted.warp_instructions;
  const bool is_branch = isa::is(from, isa::Attribute::branch);
  counted.branches += is_branch;
  if (is_branch && (from.guard >= 0 || from.opcode == Opcode::brx))
    counted.choices.push_back(first_index_ + current_);
  counted.barriers += isa::is(from, isa::Attribute::barrier);
  counted.shuffles += from.opcode == ptx::Opcode::shfl;
  const isa::Operation* row = isa::find(from, function_);
  if (!row) return;
  using isa::CounterClass;
  if (row->counts == CounterClass::tensor && from.guard < 0)
    if (const auto form = isa::matrix_form(from))
      counted.matrix_products += std::uint32_t{form->shape.m} * form->shape.n * form->shape.k *
                                 isa::fragment_of(*form, isa::MatrixRole::a).matrices;
  std::uint32_t* const operations = operations_of(counted, row->counts);
  if (!operations) return;
  if (from.guard < 0) {
    ++*operations;
    return;
  }
  DecodedInstruction& counting = emit(from.guard_negated ? control::count_guard_not : control::count_guard);
  counting.guard = register_slot(from.guard);
  counting.immediate = decoding_.code.guards.size();
  decoding_.code.guards.push_back({row->counts});
}

void FunctionDecoder::decode(std::uint32_t i) {
  if (constants_.removed[i]) return;
  const ptx::Instruction& from = source_.instructions[i];
  for (auto& [type, taken] : scratch_taken_) taken = 0;
  const std::size_t before = decoding_.code.instructions.size();
  try {
    if (guarded_by_branch(from)) skip_unless_guard(from);
    if (!decode_control(from)) decode_plain(from);
    track_address_patterns(from);
  } catch (const ptx::ParseError& error) {
    decoding_.code.instructions.resize(before);
    std::erase_if(pending_, [&](const Pending& jump) { return jump.position >= before; });
    trap(from, error.what());
  } catch (const std::out_of_range&) {
    decoding_.code.instructions.resize(before);
    std::erase_if(pending_, [&](const Pending& jump) { return jump.position >= before; });
    trap(from, from.form() + ": operands are missing");
  }
}

void FunctionDecoder::trap(const ptx::Instruction& from, const std::string& message) {
  decoding_.code.unsupported.push_back(message);
  DecodedInstruction to;
  to.handler = control::unsupported;
  to.immediate = reinterpret_cast<std::uint64_t>(&decoding_.code.unsupported.back());
  if (!guarded_by_branch(from) && !ends_block(from)) add_guard(from, to);
  to.index = first_index_ + current_;
  decoding_.code.instructions.push_back(to);
}

void FunctionDecoder::decode_plain(const ptx::Instruction& from) {
  const ptx::Instruction addressed = with_stack_addresses(from);
  DecodedInstruction to;
  const bool observed = observation() != Observation::none;
  if (decoding_.variant.observed && decode_divisor_check(from, *this, to)) {
    add_guard(from, to);
    to.index = first_index_ + current_;
    decoding_.code.instructions.push_back(std::exchange(to, {}));
  }
  if (!decode_memory(addressed, *this, observed, to) && !decode_matrix(addressed, *this, observed, to) &&
      !decode_video(addressed, *this, to)) {
    const isa::Operation* row = isa::find(from, function_);
    if (!row || row->shape != isa::Shape::lanewise) {
      unsupported(from,
                  "the emulator does not know this instruction; write the code another way, or add a row "
                  "to the operation table in grader/emulator/isa");
    }
    isa::decode_operands(from, *row, *this, to);
  }
  use_pattern(from, to);
  add_guard(from, to);
  to.index = first_index_ + current_;
  decoding_.code.instructions.push_back(to);
}

void FunctionDecoder::use_pattern(const ptx::Instruction& from, DecodedInstruction& to) {
  const std::optional<AffineAccess> access = find_affine_access(from, source_);
  if (!access || has(load_uses(), LoadUse::validated)) return;  // the general handler reports it as strong
  const ptx::Operand& address = from.operands[access->is_store ? 0 : 1];
  const std::uint32_t pattern = pattern_slots_[static_cast<std::size_t>(address.reg)];
  const Handler handler = pattern == kNoOperand ? nullptr : affine_access_handler(*access, observation());
  if (!handler) return;
  to.body = to.handler;
  to.handler = handler;
  to.operand[kPatternOperand] = pattern;
  const std::uint8_t width = decoding_.program.access_width(first_index_ + current_).bytes;
  const unsigned written = access->bytes * static_cast<unsigned>(access->vector);
  to.operand[kCostOperand] = SharedCost::usual(width == kAsWritten ? written : width).packed();
}

// An access that the machine merges into another one is counted there.
Observation FunctionDecoder::observation() const {
  if (decoding_.variant.observed) return Observation::all;
  const bool counts =
      decoding_.variant.counted && decoding_.program.access_width(first_index_ + current_).bytes != 0;
  return counts ? Observation::counts : Observation::none;
}

void FunctionDecoder::track_address_patterns(const ptx::Instruction& from) {
  for (std::int32_t r : registers_used(from).written) {
    const std::uint32_t pattern = pattern_slots_[static_cast<std::size_t>(r)];
    if (pattern == kNoOperand) continue;
    const ptx::Type type = source_.registers[static_cast<std::size_t>(r)].type;
    DecodedInstruction& look = emit(address_pattern_handler(slot_type(type) == ptx::Type::b64));
    look.operand[0] = register_slot(r);
    look.operand[kPatternOperand] = pattern;
    const AccessRange& range = shared_ranges_[static_cast<std::size_t>(r)];
    look.operand[kAlignmentOperand] = range.alignment;
    look.immediate =
        std::uint64_t{static_cast<std::uint32_t>(range.end)} << 32 | static_cast<std::uint32_t>(range.begin);
  }
}

void FunctionDecoder::add_guard(const ptx::Instruction& from, DecodedInstruction& to) {
  if (from.guard < 0) return;
  to.body = to.handler;
  to.handler = from.guard_negated ? control::guarded_not : control::guarded;
  to.guard = register_slot(from.guard);
}

// The form of an access to a parameter as one to local memory.
std::string in_local_memory(const ptx::Instruction& from) {
  std::string form(ptx::name_of(from.opcode));
  for (std::size_t n = 0; n < from.modifiers.size(); ++n) {
    if (from.modifiers[n] == Modifier::param_func) continue;
    form += '.';
    form += from.modifiers[n] == Modifier::param ? "local" : from.modifier_text(n);
  }
  return form;
}

// Parameters of functions and calls lie in local memory. In functions other than the kernel, local variables
// are addressed through the stack pointer.
ptx::Instruction FunctionDecoder::with_stack_addresses(const ptx::Instruction& from) const {
  const bool in_parameters = from.has(Modifier::param);
  if (!in_parameters && !from.has(Modifier::local)) return from;
  ptx::Instruction to = from;
  bool changed = false;
  for (ptx::Operand& operand : to.operands) {
    if (operand.kind != ptx::Operand::Kind::address || operand.has_reg) continue;
    auto place = local_.variables.find(operand.symbol);
    if (place == local_.variables.end()) continue;
    changed = true;
    if (stack_register_ < 0) continue;
    operand.has_reg = true;
    operand.reg = stack_register_;
    operand.offset += place->second.offset;
    operand.symbol.clear();
  }
  if (changed && in_parameters) {
    to.set_form(in_local_memory(from));
  }
  return to;
}

// Ranks positions by the order of their blocks, and within a block by the order of the code.
void FunctionDecoder::rank_positions() {
  Code& code = decoding_.code;
  const std::uint32_t begin = into_.entry;
  code.rank.resize(into_.end);
  code.function_of.resize(into_.end, static_cast<std::uint32_t>(&into_ - code.functions.data()));
  std::vector<std::uint32_t> by_order(flow_.blocks.size());
  for (std::uint32_t b = 0; b < by_order.size(); ++b) by_order[flow_.blocks[b].order] = b;
  std::uint32_t rank = begin;
  for (std::uint32_t b : by_order) {
    const std::uint32_t last = b + 1 < block_begins_.size() ? block_begins_[b + 1].first : into_.end;
    for (std::uint32_t p = block_begins_[b].first; p < last; ++p) code.rank[p] = rank++;
  }
}

}  // namespace warpgrade::emulator
