// Decodes control flow, calls, barriers and collectives.
#include <algorithm>

#include "analysis/flow/loop_order.hpp"
#include "decode/function.hpp"
#include "isa/attribute.hpp"
#include "ops/alloca.hpp"
#include "ops/collective.hpp"
#include "ops/control.hpp"
#include "ptx/tree/parse_error.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;

// The handler of an instruction without operands that matter here; null for any other instruction.
static Handler handler_without_operands(Opcode opcode) {
  switch (opcode) {
    case Opcode::exit:
      return control::exit;
    case Opcode::trap:
      return control::trap;
    case Opcode::brkpt:
    case Opcode::pmevent:
    case Opcode::griddepcontrol:
    case Opcode::setmaxnreg:
      return control::nothing;
    case Opcode::nanosleep:
      return control::nanosleep;
    default:
      return nullptr;
  }
}

bool FunctionDecoder::decode_control(const ptx::Instruction& from) {
  if (const Handler handler = handler_without_operands(from.opcode)) return emit(handler), true;
  switch (from.opcode) {
    case Opcode::bra:
      branch(from);
      return true;
    case Opcode::brx:
      indexed_branch(from);
      return true;
    case Opcode::call:
      call(from);
      return true;
    case Opcode::ret:
      leave();
      return true;
    case Opcode::alloca:
      allocate(from);
      return true;
    case Opcode::stacksave:
      emit(save_stack).operand[0] = slot(from.operands.at(0), ptx::Type::u64);
      return true;
    case Opcode::stackrestore:
      emit(restore_stack).operand[0] = slot(from.operands.at(0), ptx::Type::u64);
      return true;
    case Opcode::membar:
    case Opcode::fence:
      fence(from);
      return true;
    case Opcode::activemask:
      emit(control::active_mask).operand[0] = slot(from.operands.at(0), ptx::Type::b32);
      return true;
    case Opcode::bar:
    case Opcode::barrier:
      barrier(from);
      return true;
    default:
      return decode_collective(from);
  }
}

// Lanes whose guard is false jump to the next instruction, which is the leader of a block.
void FunctionDecoder::skip_unless_guard(const ptx::Instruction& from) {
  DecodedInstruction& skip = emit(from.guard_negated ? control::branch_if : control::branch_unless);
  skip.guard = register_slot(from.guard);
  pending_.push_back(
      {static_cast<std::uint32_t>(decoding_.code.instructions.size() - 1), flow_.block_of[current_] + 1});
}

// True if this edge ends an iteration of a loop; then sets the operands that charge the iteration to the
// time slice.
bool FunctionDecoder::ends_iteration(std::uint32_t from_block, std::uint32_t to_block,
                                     DecodedInstruction& to) const {
  const std::int32_t loop = flow_.loop_of_edge(from_block, to_block);
  if (loop < 0 && flow_.blocks[to_block].order > flow_.blocks[from_block].order) return false;
  const Loop unknown{0, -1, 1};
  const Loop& turned = loop < 0 ? unknown : flow_.loops[static_cast<std::size_t>(loop)];
  to.operand[0] = std::min<std::uint32_t>(turned.instructions, kTimeSlice);
  to.operand[1] = turned.polls   ? kPollCost
                  : turned.waits ? std::max<std::uint32_t>(to.operand[0], kTimeSlice / kSpinIterations)
                                 : to.operand[0];
  to.operand[2] = turned.waits;
  to.operand[6] = static_cast<std::uint32_t>(turned.header == to_block ? turned.spins : SpinLoop::no);
  to.operand[7] = turned.carries;
  return true;
}

void FunctionDecoder::branch_to(DecodedInstruction& to, std::uint32_t target, Handler forward,
                                Handler backward) {
  const std::uint32_t from_block = flow_.block_of[current_], to_block = flow_.block_of[target];
  to.handler = ends_iteration(from_block, to_block, to) ? backward : forward;
  pending_.push_back({static_cast<std::uint32_t>(&to - decoding_.code.instructions.data()), to_block});
}

void FunctionDecoder::branch(const ptx::Instruction& from) {
  const std::uint32_t target = branch_targets(source_, from).at(0);
  if (from.guard < 0) {
    branch_to(emit(nullptr), target, control::jump, control::jump_back);
    return;
  }
  const std::uint32_t guard = register_slot(from.guard);
  DecodedInstruction& to = emit(nullptr);
  to.guard = guard;
  if (from.guard_negated)
    branch_to(to, target, control::branch_unless, control::branch_unless_back);
  else
    branch_to(to, target, control::branch_if, control::branch_if_back);
  watch_branch(static_cast<std::uint32_t>(&to - decoding_.code.instructions.data()), from.guard_negated);
}

void FunctionDecoder::watch_branch(std::uint32_t position, bool negated) {
  const auto in = [&](const std::vector<BypassBranch>& branches) {
    const auto found = std::find_if(branches.begin(), branches.end(), [&](const BypassBranch& branch) {
      return branch.instruction == current_;
    });
    return found == branches.end() ? nullptr : &*found;
  };
  const BypassBranch *watched = in(watched_), *skipping = in(skipping_);
  if (!watched && !skipping) return;
  std::vector<Watched>& all = watched ? decoding_.code.watched : decoding_.code.skipping;
  const BypassBranch& branch = watched ? *watched : *skipping;
  DecodedInstruction& to = decoding_.code.instructions[position];
  to.body = to.handler;
  to.handler = watched ? control::watched_branch : control::skipping_branch;
  to.operand[3] = static_cast<std::uint32_t>(all.size());
  to.operand[4] = branch.taken_passes;
  to.operand[5] = negated;
  all.push_back(passed_by(branch, position));
}

Watched FunctionDecoder::passed_by(const BypassBranch& branch, std::uint32_t position) {
  Watched watched{position, {}, branch.leaves_loop};
  for (std::uint32_t barrier : branch.barriers) {
    if (source_.instructions[barrier].opcode != Opcode::call) {
      watched.barriers.push_back(first_index_ + barrier);
      continue;
    }
    const std::vector<std::uint32_t>& called = barriers_called(source_.instructions[barrier]);
    watched.barriers.insert(watched.barriers.end(), called.begin(), called.end());
  }
  return watched;
}

// Block barriers in the callee and in all functions that it may call.
const std::vector<std::uint32_t>& FunctionDecoder::barriers_called(const ptx::Instruction& call) {
  const std::string name = called_name(call);
  const auto [entry, fresh] = barriers_called_.try_emplace(name);
  const Program::Impl& program = decoding_.program;
  const auto callee = program.functions.find(name);
  if (!fresh || callee == program.functions.end()) return entry->second;
  for (std::int32_t number : find_reachable(program, callee->second)) {
    const ptx::Function& reached = program.module.functions[static_cast<std::size_t>(number)];
    for (std::uint32_t i = 0; i < reached.instructions.size(); ++i)
      if (is_block_barrier(reached.instructions[i]))
        entry->second.push_back(program.first_index[static_cast<std::size_t>(number)] + i);
  }
  return entry->second;
}

// True if the result of the call may depend on what another thread does.
bool FunctionDecoder::reads_of_others(const ptx::Instruction& call) {
  const std::string name = called_name(call);
  const auto [known, fresh] = reads_of_others_.try_emplace(name, false);
  const Program::Impl& program = decoding_.program;
  const auto callee = program.functions.find(name);
  if (!fresh || callee == program.functions.end()) return known->second;
  const std::vector<std::int32_t> reached = find_reachable(program, callee->second);
  return known->second = std::any_of(reached.begin(), reached.end(), [&](std::int32_t number) {
           const auto& all = program.module.functions[static_cast<std::size_t>(number)].instructions;
           return std::any_of(all.begin(), all.end(),
                              [](const auto& each) { return reads_foreign_state(each); });
         });
}

void FunctionDecoder::indexed_branch(const ptx::Instruction& from) {
  JumpTable& table = decoding_.code.tables.emplace_back();
  bool backward = false;
  const std::uint32_t here = flow_.block_of[current_];
  for (std::uint32_t target : branch_targets(source_, from)) {
    table.index.push_back(flow_.block_of[target]);
    backward = backward || flow_.blocks[flow_.block_of[target]].order <= flow_.blocks[here].order;
  }
  if (table.index.empty()) unsupported(from, "there is no .branchtargets list of this name");
  const std::uint32_t index = slot(from.operands.at(0), ptx::Type::u32);
  DecodedInstruction& to = emit(control::jump_table);
  to.operand[0] = to.operand[1] = backward ? 64 : 0;
  to.operand[2] = index;
  to.immediate = reinterpret_cast<std::uint64_t>(&table);
  tables_.push_back({0, &table});
}

std::vector<CallSite::Passed> FunctionDecoder::passed(const ptx::Operand& list,
                                                      const ptx::Instruction& from) const {
  std::vector<CallSite::Passed> all;
  for (const ptx::Operand& operand : list.elements) {
    auto place = local_.variables.find(operand.symbol);
    if (place == local_.variables.end()) {
      throw ptx::ParseError(from.place, from.form() + ": only .param variables can be passed, not registers");
    }
    all.push_back({place->second.offset, place->second.bytes});
  }
  return all;
}

static SystemCall system_call(const std::string& name) {
  if (name == "vprintf") return SystemCall::vprintf;
  if (name == "__assertfail") return SystemCall::assert_fail;
  if (name == "malloc") return SystemCall::malloc;
  if (name == "free") return SystemCall::free;
  return SystemCall::none;
}

void FunctionDecoder::call(const ptx::Instruction& from) {
  CallSite& site = decoding_.code.calls.emplace_back();
  std::size_t next = 0;
  if (from.operands.at(0).kind == ptx::Operand::Kind::vector)
    site.results = passed(from.operands[next++], from);
  const ptx::Operand& callee = from.operands.at(next++);
  if (next < from.operands.size() && from.operands[next].kind == ptx::Operand::Kind::vector) {
    site.arguments = passed(from.operands[next], from);
  }
  const std::string name = called_name(from);
  if (name.empty()) {
    site.pointer = slot(callee, ptx::Type::u64);
  } else if (auto function = decoding_.function_index.find(name);
             function != decoding_.function_index.end()) {
    site.callee = function->second;
  } else if ((site.system = system_call(name)) == SystemCall::none) {
    unsupported(
        from,
        "function " + name +
            " is not defined in this program, and it is not one of the runtime functions that the emulator "
            "offers (printf, assert, malloc, free; no launches from kernels). Is it in a file that was not "
            "linked? Then: nvcc -rdc=true both.cu files.cu");
  }
  emit(control::call).immediate = reinterpret_cast<std::uint64_t>(&site);
}

void FunctionDecoder::leave() {
  if (source_.is_entry) {
    emit(control::exit);
    return;
  }
  if (saved_stack_ != kNoOperand) emit(restore_stack).operand[0] = saved_stack_;
  emit(control::leave);
}

// alloca.u64 address, bytes{, alignment}
void FunctionDecoder::allocate(const ptx::Instruction& from) {
  if (!from.has(Modifier::u64)) unsupported(from, "addresses have 64 bits here: use .u64");
  const std::uint32_t address = slot(from.operands.at(0), ptx::Type::u64);
  const std::uint32_t bytes = slot(from.operands.at(1), ptx::Type::u64);
  DecodedInstruction& to = emit(allocate_on_stack);
  to.operand[0] = address;
  to.operand[1] = bytes;
  to.immediate = from.operands.size() > 2 ? std::max<std::uint64_t>(from.operands[2].bits, 1) : 8;
}

void FunctionDecoder::fence(const ptx::Instruction& from) {
  const bool block = from.has_any({Modifier::cta, Modifier::cluster});  // a cluster has one block here
  const bool of_proxies = !from.modifiers.empty() && from.modifier_text(0) == "proxy";
  const bool orders_threads = !of_proxies || from.has_any({Modifier::release, Modifier::acquire});
  const bool for_copies = of_proxies && from.modifiers.size() > 1 &&
                          from.modifier_text(1).starts_with("async") && !from.has(Modifier::global);
  emit(for_copies       ? control::proxy_fence
       : orders_threads ? control::fence
                        : control::nothing)
      .immediate = static_cast<std::uint64_t>(block ? ptx::Space::shared : ptx::Space::global);
}

// bar{.cta}.sync a{, b} · bar.arrive a, b · bar.red.op d, a{, b}, {!}p · barrier{.cta}.sync{.aligned} …
// `bar` is `barrier….aligned`. PTX ISA 9.7.13.1.
void FunctionDecoder::barrier(const ptx::Instruction& from) {
  if (from.has(Modifier::warp)) {
    decode_collective(from);
    return;
  }
  if (from.has(Modifier::cluster)) {
    // A block is a cluster of its own: arrive does nothing, wait is a barrier of the block.
    if (from.has(Modifier::arrive)) {
      emit(control::nothing);
      return;
    }
    DecodedInstruction& wait = emit(control::barrier);
    wait.operand[1] = constant(0, ptx::Type::u32);
    return;
  }
  const bool reduces = from.has(Modifier::red);
  std::uint64_t flags = 0;
  if (from.opcode == Opcode::bar || from.has(Modifier::aligned)) flags |= control::kAligned;
  if (from.has(Modifier::arrive)) flags |= control::kArriveOnly;
  std::uint32_t operand[4] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  std::size_t next = 0;
  if (reduces) {
    const bool popc = from.has(Modifier::popc);
    flags |= popc                       ? control::kReducePopc
             : from.has(Modifier::and_) ? control::kReduceAnd
                                        : control::kReduceOr;
    operand[0] = slot(from.operands.at(next++), popc ? ptx::Type::u32 : ptx::Type::pred);
    if (from.operands.back().negated) flags |= control::kNegated;
    operand[3] = slot(from.operands.back(), ptx::Type::pred);
  }
  operand[1] = slot(from.operands.at(next++), ptx::Type::u32);
  if (next + (reduces ? 1 : 0) < from.operands.size()) operand[2] = slot(from.operands[next], ptx::Type::u32);
  DecodedInstruction& to = emit(control::barrier);
  std::copy(std::begin(operand), std::end(operand), to.operand);
  to.immediate = flags;
}

// shfl.sync d|p, a, b, c, mask · vote.sync d, {!}a, mask · match.sync d|p, a, mask · redux.sync d, a, mask ·
// elect.sync d|p, mask · bar.warp.sync mask. PTX ISA 9.7.9.6 to 9.7.9.9, 9.7.13.3.
bool FunctionDecoder::decode_collective(const ptx::Instruction& from) {
  const CollectiveOps* ops = find_collective(from);
  if (!ops) return false;
  DecodedInstruction to;
  const bool has_result = !isa::is(from, isa::Attribute::barrier);
  std::size_t next = 0;
  if (has_result) {
    const ptx::Operand& result = from.operands.at(next++);
    const bool votes = from.opcode == Opcode::vote && !from.has(Modifier::ballot);
    to.operand[0] = slot(result, votes ? ptx::Type::pred : ptx::Type::b32);
    if (result.second >= 0) to.operand[1] = register_slot(result.second);
  }
  const std::size_t mask = from.operands.size() - 1;
  const bool votes = from.opcode == Opcode::vote;
  for (std::size_t value = 2; next < mask; ++value, ++next) {
    const ptx::Operand& operand = from.operands.at(next);
    const bool wide = from.has(Modifier::b64);
    to.operand[value] = slot(operand, votes ? ptx::Type::pred : wide ? ptx::Type::b64 : ptx::Type::b32);
    if (votes && operand.negated) to.guard = 1;
  }
  to.operand[5] = slot(from.operands.at(mask), ptx::Type::b32);
  to.immediate = reinterpret_cast<std::uint64_t>(ops);
  to.handler = collective;
  to.index = first_index_ + current_;
  decoding_.code.instructions.push_back(to);
  return true;
}

}  // namespace warpgrade::emulator
