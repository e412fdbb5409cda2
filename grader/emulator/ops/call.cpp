// call and ret.
#include <bit>
#include <cstring>

#include "machine/observers.hpp"
#include "ops/control.hpp"
#include "ops/system_calls.hpp"
#include "sched/register_frames.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator::control {
namespace {

constexpr std::uint32_t kDeepestCall = 2000;

[[noreturn]] void overflow(Warp& warp, const DecodedInstruction* at, std::uint32_t depth) {
  fail(
      warp,
      finding_at(warp, at, FindingKind::stack_overflow,
                 "The call stack of the thread is used up after " + std::to_string(depth) + " nested calls."),
      LaunchStatus::hardware_stack_error);
}

CallFrame* make_frame(WarpState& state) {
  if (state.free.empty()) {
    state.made.push_back(std::make_unique<CallFrame>());
    return state.made.back().get();
  }
  CallFrame* frame = state.free.back();
  state.free.pop_back();
  return frame;
}

void copy_bytes(const Warp& warp, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  if (ShadowExecution* undefined = state_of(warp).run->undefined.get())
    undefined->copy_local(warp, from, to, bytes);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    std::byte* local = warp.local + std::size_t{lane} * warp.local_bytes;
    std::memcpy(local + to, local + from, bytes);
  }
}

void copy_all(const Warp& warp, const std::vector<CallSite::Passed>& from, std::uint32_t from_base,
              const std::vector<CallSite::Passed>& to, std::uint32_t to_base) {
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    copy_bytes(warp, from_base + from[i].offset, to_base + to[i].offset,
               std::min(from[i].bytes, to[i].bytes));
  }
}

const DecodedInstruction* enter(Warp& warp, WarpState& state, const DecodedInstruction* at,
                                const CallSite& site, std::uint32_t callee) {
  const Code& code = *state.run->code;
  const CodeFunction& function = code.functions[callee];
  CallFrame* caller = state.top;
  const std::uint32_t base = caller->base + code.functions[caller->function].local_bytes;
  const std::uint32_t depth = caller->depth + 1;
  if (depth > kDeepestCall || base + function.local_bytes > code.stack_bytes) overflow(warp, at, depth);
  std::byte* frame = deep_frame(warp, depth, callee);
  CallFrame* made = make_frame(state);
  *made = {caller, at + 1, &site, frame, callee, depth, base, 1};
  copy_all(warp, site.arguments, caller->base, function.parameters, base);
  state.top = made;
  warp.frame = frame;
  std::uint64_t* stack_pointer = warp.lanes<std::uint64_t>(function.frame.stack_pointer);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (warp.active >> lane & 1) stack_pointer[lane] = base;
  }
  const DecodedInstruction* entry = state.code + function.entry;
  return state.runnable == 0 ? entry : reconverge(warp, entry);
}

// Lanes with the first lane's pointer continue; the others execute this instruction again.
std::int32_t find_callee(Warp& warp, const WarpState& state, const DecodedInstruction* at,
                         const CallSite& site) {
  const std::uint64_t* pointer = warp.lanes<std::uint64_t>(site.pointer);
  const std::uint64_t first = pointer[std::countr_zero(warp.active)];
  std::uint32_t same = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
    same |= static_cast<std::uint32_t>(pointer[lane] == first) << lane;
  if (const std::uint32_t others = warp.active & ~same) split_group(warp, others, at);
  auto found = state.run->code->by_address.find(first);
  if (found != state.run->code->by_address.end() && found->second > 0) return found->second;
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(first));
  fail(warp,
       finding_at(warp, at, FindingKind::trap,
                  std::string("The kernel called a function through the pointer ") + text +
                      ", which is the address of no device function of its module."),
       LaunchStatus::invalid_pc);
}

}  // namespace

const DecodedInstruction* call(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  const auto& site = *reinterpret_cast<const CallSite*>(at->immediate);
  if (site.system != SystemCall::none) return system_call(warp, at, site, state.top->base);
  const std::int32_t callee = site.callee >= 0 ? site.callee : find_callee(warp, state, at, site);
  return enter(warp, state, at, site, static_cast<std::uint32_t>(callee));
}

const DecodedInstruction* leave(Warp& warp, const DecodedInstruction*) {
  WarpState& state = state_of(warp);
  CallFrame* done = state.top;
  CallFrame* caller = done->caller;
  const DecodedInstruction* resume = done->resume;
  copy_all(warp, state.run->code->functions[done->function].results, done->base, done->site->results,
           caller->base);
  ++caller->references;
  release(state, done);
  state.top = caller;
  warp.frame = caller->frame;
  return state.runnable == 0 ? resume : reconverge(warp, resume);
}

}  // namespace warpgrade::emulator::control
