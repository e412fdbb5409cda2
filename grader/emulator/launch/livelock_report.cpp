#include "launch/livelock_report.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "findings/fault.hpp"
#include "machine/lock_holders.hpp"
#include "machine/program.hpp"
#include "ops/mbarrier.hpp"
#include "ops/memory/resolve.hpp"
#include "symbols/shared_variables.hpp"

namespace warpgrade::emulator {
namespace {

// The instruction by which a loop tests what it waits for.
struct PollInstruction {
  const DecodedInstruction* at;
  const ptx::Instruction* ptx;  // null if the loop has no such instruction

  bool is(ptx::Opcode opcode) const { return ptx != nullptr && ptx->opcode == opcode; }
};

bool tests_mbarrier(const ptx::Instruction& ptx) {
  return ptx.opcode == ptx::Opcode::mbarrier &&
         (ptx.has(ptx::Modifier::test_wait) || ptx.has(ptx::Modifier::try_wait));
}
bool is_atomic(const ptx::Instruction& ptx) { return ptx.opcode == ptx::Opcode::atom; }
bool reads_variable(const ptx::Instruction& ptx) {
  return ptx.opcode == ptx::Opcode::ld && !ptx.has(ptx::Modifier::param);
}

constexpr std::ptrdiff_t kFar = 200;  // instructions: such loops are short

// The first test of an mbarrier of the loop that begins here, else its first atomic, else its first load.
PollInstruction find_poll(const BlockRun& block, const DecodedInstruction* header) {
  const DecodedInstruction* end = block.code->instructions.data() + block.code->instructions.size();
  for (auto* wanted : {tests_mbarrier, is_atomic, reads_variable})
    for (const DecodedInstruction* at = header; at != end && at - header < kFar; ++at) {
      const ptx::Instruction* ptx = block.program->origin(at->index).ptx;
      // A PTX instruction may be decoded to several, of which one has the operands of the access.
      const bool has_operands = at->operand[kFormOperand] != kNoOperand;
      if (ptx != nullptr && wanted(*ptx) && (has_operands || wanted == reads_variable)) return {at, ptx};
    }
  return {header, nullptr};
}

std::string number(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The word that the lowest running lane polls.
struct PolledWord {
  const std::byte* host = nullptr;
  std::uint64_t address = 0;  // in shared memory: the offset
  bool shared = false;
};

PolledWord polled_word(Warp& warp, const DecodedInstruction* at) {
  const BlockRun& block = *state_of(warp).run;
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  resolve({warp, at, form, Access::Kind::read, false}, lanes);
  const int lane = std::countr_zero(warp.active);
  const std::byte* host = lanes.host[lane];
  const bool shared = host >= block.shared && host < block.shared + block.shared_bytes;
  const std::uint64_t address =
      shared ? static_cast<std::uint64_t>(host - block.shared) : lanes.address[lane];
  return {host, address, shared};
}

// For example "the mbarrier at byte 8 of shared array full, for 1 of 64 arrivals and 512 bytes of copies".
std::string missing_at(Warp& warp, const DecodedInstruction* test) {
  const PolledWord at = polled_word(warp, test);
  if (!at.shared) return "an mbarrier";
  std::uint64_t word = 0;
  std::memcpy(&word, at.host, sizeof word);
  const MemoryBarrier barrier = MemoryBarrier::of(word);
  const SharedRange in = shared_variable_at(*warp.block, at.address);
  std::string text = "the mbarrier at byte " + std::to_string(at.address - in.begin) + " of " + in.name +
                     ", for " + std::to_string(barrier.pending) + " of " +
                     number(barrier.expected, "arrival");
  if (barrier.transactions != 0) text += " and " + std::to_string(barrier.transactions) + " bytes of copies";
  return text;
}

std::string value_at(const std::byte* host, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, host, std::min<std::size_t>(bytes, sizeof value));
  return std::to_string(value);
}

Memory describe_word(const Warp& warp, const PolledWord& at, unsigned bytes) {
  if (!at.shared) return describe_global(*warp.block->memory, at.address, bytes);
  const SharedRange in = shared_variable_at(*warp.block, at.address);
  Memory out;
  out.space = "shared";
  out.address = at.address;
  out.bytes = bytes;
  out.allocation = in.name;
  out.allocation_bytes = in.end - in.begin;
  out.distance = static_cast<std::int64_t>(at.address - in.begin);
  out.relation = Placement::inside;
  return out;
}

// The threads that loop, among those of the block that have not returned.
struct Waiting {
  std::uint32_t threads = 0;
  std::uint32_t lanes = 0;

  // A sentence up to its verb, which is given in the plural.
  [[nodiscard]] std::string that(const std::string& verb) const {
    const int count = std::popcount(lanes);
    return "No thread of the block can continue: of its " + number(threads, "thread") +
           (threads == 1 ? " that has" : " that have") + " not returned, " + std::to_string(count) + " " +
           verb + (count == 1 ? "s" : "");
  }
};

// Threads that repeat an atomic which changes nothing, as a failed compare-and-swap on a lock.
Finding atomic_poll(Warp& warp, const PollInstruction& poll, const Waiting& who,
                    const OutsideBlock& outside) {
  const AccessForm form = form_of(poll.at);
  const PolledWord at = polled_word(warp, poll.at);
  Memory memory = describe_word(warp, at, form.bytes);
  const std::string otherwise = memory.space + " memory";
  std::string text = who.that("repeat") + " an atomic operation on " +
                     place_words(memory, otherwise.c_str()) + ", which holds " +
                     value_at(at.host, form.bytes) + ", and no thread is left to change it";
  std::optional<Site> holder = warp.block->locks->last(at.host);
  // Blocks that run one after another have their shared memory at the same host address.
  if (holder && at.shared && holder->block != warp.block->index) holder.reset();
  if (holder)
    text += ". Thread " + to_text(holder->thread) + " of block " + to_text(holder->block) +
            " was the last to take this lock, and has not released it";
  else if (form.has(AccessForm::takes_lock) && poll.ptx->has(ptx::Modifier::cas) &&
           !outside.holds_back_first())
    text += ". No thread of this launch has taken this lock: set it to its free value before the launch";
  Finding finding = finding_at(warp, poll.at, FindingKind::barrier_deadlock, std::move(text));
  finding.site.access = "atomic";
  finding.memory = memory;
  finding.has_other = holder.has_value();
  if (holder) finding.other = *holder;
  return finding;
}

// Runs the group from `at` to `poll`, which computes the operands of the poll. Returns false if the group
// does not reach it.
bool run_to(Warp& warp, const DecodedInstruction* at, const DecodedInstruction* poll) {
  try {
    for (std::ptrdiff_t i = 0; i < kFar && at != nullptr && at != poll; ++i) at = at->handler(warp, at);
  } catch (const ShadowRestart&) {
    return false;
  }
  return at == poll;
}

// `reached`: the warp is about to run the poll.
Finding describe_poll(Warp& warp, const PollInstruction& poll, bool reached, const Waiting& who,
                      const OutsideBlock& outside) {
  if (reached && poll.is(ptx::Opcode::atom)) return atomic_poll(warp, poll, who, outside);
  std::string text = who.that("read") + " the same value again and again, and nobody is left to change it";
  if (poll.is(ptx::Opcode::mbarrier))
    text = who.that("wait") + " at " + (reached ? missing_at(warp, poll.at) : "an mbarrier") +
           ", which no thread is left to bring";
  Finding finding = finding_at(warp, poll.at, FindingKind::barrier_deadlock, std::move(text));
  if (poll.is(ptx::Opcode::ld)) finding.site.access = "read";
  return finding;
}

// The blocks or the host that might have written what the block polls.
std::string words(const OutsideBlock& outside) {
  if (outside.holds_back_first())
    return ": " + number(outside.not_started, "block") + " with a smaller blockIdx could not begin, as " +
           number(outside.resident, "block") + (outside.resident == 1 ? " has" : " have") +
           " begun before and each of them waits. CUDA promises no order in which blocks begin";
  if (outside.not_started != 0)
    return ": " + number(outside.not_started, "further block") +
           " of the grid cannot start, as the GPU runs only " + number(outside.resident, "block") +
           " of this kernel at once, and each of them waits";
  return outside.host_may_write ? ": the host continues when the kernel has ended" : "";
}

std::uint32_t waiting_threads(const BlockRun& block) {
  std::uint32_t count = 0;
  for (const WarpState& state : block.state)
    for (std::uint32_t g = 0; g < state.groups; ++g)
      count += static_cast<std::uint32_t>(std::popcount(state.group[g].mask));
  return count;
}

}  // namespace

void report_livelock(BlockRun& block, const OutsideBlock& outside) {
  for (Warp& warp : block.warp) {
    if (state_of(warp).runnable == 0) continue;
    const std::vector<ThreadPosition> standing = thread_positions(block);
    const std::uint32_t threads = waiting_threads(block);
    const DecodedInstruction* header = next_group(warp);
    const std::uint32_t lanes = warp.active;
    const PollInstruction poll = find_poll(block, header);
    const bool reached = run_to(warp, header, poll.at);
    if (!reached) warp.active = lanes;
    Finding finding = describe_poll(warp, poll, reached, {.threads = threads, .lanes = lanes}, outside);
    if (!poll.is(ptx::Opcode::mbarrier)) finding.message += words(outside);
    finding.is_of_block_order = outside.holds_back_first() && !poll.is(ptx::Opcode::mbarrier);
    finding.standing = standing;
    fail(warp, std::move(finding), LaunchStatus::launch_timeout);
  }
  throw Trap{LaunchStatus::launch_timeout};
}

}  // namespace warpgrade::emulator
