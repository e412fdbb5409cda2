#include "definedness/shadow_interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/memory/local_window.hpp"
#include "machine/observers.hpp"
#include "ops/system_calls.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

ShadowInterpreter::ShadowInterpreter(BlockRun& run) : run_(run), warps_(run.warps) {}
ShadowInterpreter::~ShadowInterpreter() = default;

bool ShadowInterpreter::any(const Warp& warp) const {
  const WarpShadow& held = warps_[warp.index];
  return !held.slots.empty() || !held.local.empty();
}

void ShadowInterpreter::begin(const Warp& warp, std::uint32_t slot, std::uint32_t bytes, std::uint32_t read) {
  Slot& to = of(warp).slots[state_of(warp).root.frame + slot];
  to.lanes = warp.alive;
  to.of.fill({static_cast<std::uint16_t>((1u << bytes) - 1), read});
}

const InstructionFlow& ShadowInterpreter::flow_of(const DecodedInstruction* at) {
  const auto [found, fresh] = flows_.try_emplace(at);
  if (fresh) found->second = instruction_flow(run_, at);
  return found->second;
}

ShadowInterpreter::Slot* ShadowInterpreter::slot_of(const Warp& warp, const std::byte* frame,
                                                    const InstructionFlow& flow, std::int32_t reg) {
  const std::uint32_t slot = flow.slot(reg);
  if (slot == kNoOperand) return nullptr;
  auto& slots = of(warp).slots;
  const auto found = slots.find(frame + slot);
  return found == slots.end() ? nullptr : &found->second;
}

// Sets the undefined bytes of a register in these lanes.
void ShadowInterpreter::put(const Warp& warp, const std::byte* frame, const InstructionFlow& flow,
                            std::int32_t reg, std::uint32_t lanes, const UndefinedRegister& values) {
  const std::uint32_t slot = flow.slot(reg);
  if (slot == kNoOperand) return;
  const ptx::Type type = flow.type(reg);
  const int size = std::max(1, type == ptx::Type::pred ? 1 : ptx::size_in_bytes(type));
  auto& slots = of(warp).slots;
  auto found = slots.find(frame + slot);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Undefined value = values[lane];
    value.bytes = static_cast<std::uint16_t>(value.bytes & ((1u << size) - 1));
    if (found == slots.end()) {
      if (value.bytes == 0) continue;
      found = slots.try_emplace(frame + slot).first;
    }
    Slot& to = found->second;
    to.of[lane] = value;
    to.lanes = value.bytes != 0 ? to.lanes | 1u << lane : to.lanes & ~(1u << lane);
  }
  if (found != slots.end() && found->second.lanes == 0) slots.erase(found);
}

// The instruction has given defined values to these lanes.
void ShadowInterpreter::define(const Warp& warp, const std::byte* frame, const InstructionFlow& flow,
                               std::uint32_t lanes) {
  static constexpr UndefinedRegister kDefined{};
  for (const std::int32_t reg : flow.written)
    if (!of(warp).slots.empty()) put(warp, frame, flow, reg, lanes, kDefined);
}

// Reports each uninitialised read once; afterwards every value derived from it is treated as defined.
void ShadowInterpreter::report_use(const Warp& warp, const DecodedInstruction* at, std::uint32_t read) {
  run_.observers->depend_on_read(run_, read, at->index);
  WarpShadow& held = of(warp);
  for (auto each = held.slots.begin(); each != held.slots.end();) {
    Slot& slot = each->second;
    for (std::uint32_t left = slot.lanes; left != 0; left &= left - 1) {
      Undefined& value = slot.of[static_cast<std::size_t>(std::countr_zero(left))];
      if (value.read != read) continue;
      value = {};
      slot.lanes &= ~(left & -left);
    }
    each = slot.lanes == 0 ? held.slots.erase(each) : std::next(each);
  }
  std::erase_if(held.local, [&](const auto& each) { return each.second == read; });
}

void ShadowInterpreter::report_use(const Warp& warp, const DecodedInstruction* at,
                                   const InstructionFlow& flow, std::uint32_t lanes) {
  for (const std::int32_t reg : flow.needed) {
    for (;;) {
      const Slot* slot = slot_of(warp, warp.frame, flow, reg);
      if (slot == nullptr || (slot->lanes & lanes) == 0) break;
      report_use(warp, at, slot->of[static_cast<std::size_t>(std::countr_zero(slot->lanes & lanes))].read);
    }
  }
}

// Arguments of runtime calls (vprintf, assert, malloc, free); for vprintf also the packed argument buffer.
void ShadowInterpreter::report_arguments(const Warp& warp, const DecodedInstruction* at) {
  const auto& site = *reinterpret_cast<const CallSite*>(at->immediate);
  const auto& local = of(warp).local;
  if (site.system == SystemCall::none || local.empty()) return;
  const std::uint32_t base = state_of(warp).top->base;
  const auto look = [&](unsigned lane, std::uint64_t first, std::uint64_t bytes) {
    for (std::uint64_t o = first; o < first + bytes; ++o) {
      const auto found = local.find(o * kWarpSize + lane);
      if (found != local.end()) report_use(warp, at, std::uint32_t{found->second});
    }
  };
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (const CallSite::Passed& each : site.arguments) look(lane, base + each.offset, each.bytes);
    if (site.system != SystemCall::vprintf || site.arguments.size() < 2) continue;
    std::uint64_t format = 0, buffer = 0;
    const std::byte* own = warp.local + std::size_t{lane} * warp.local_bytes + base;
    std::memcpy(&format, own + site.arguments[0].offset, sizeof format);
    std::memcpy(&buffer, own + site.arguments[1].offset, sizeof buffer);
    const std::string text = read_string(warp, static_cast<int>(lane), format);
    if (is_local(buffer))
      look(lane, local_offset(buffer),
           8 * static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '%')));
  }
}

std::uint32_t ShadowInterpreter::origin_of(std::uint64_t offset) const {
  const auto found = shared_.find(offset);
  return found == shared_.end() ? kNoRead : found->second;
}

void ShadowInterpreter::bring(unsigned lane, std::uint64_t bytes, std::uint32_t read) {
  access_.undefined[lane] |= bytes;
  access_.read[lane] = read;
  access_.brought = true;
}

void ShadowInterpreter::access(const Access& access) {
  if (separate_ && access_.bytes != 0) accesses_.push_back(std::exchange(access_, {}));
  access_.bytes = access.bytes;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    access_.address[lane] = access.of(lane);
    access_.space[lane] = access.space;
    if (access.kind == Access::Kind::write) access_.stores |= 1u << lane;
    if (access.space != ptx::Space::local || access.kind != Access::Kind::read) continue;
    const auto& local = of(*access.warp).local;
    if (local.empty()) continue;
    for (unsigned b = 0; b < access.bytes; ++b)
      if (const auto found = local.find((access.of(lane) + b) * kWarpSize + lane); found != local.end())
        bring(lane, std::uint64_t{1} << b, found->second);
  }
}

// While step() runs an instruction, the results of that instruction are recorded first.
void ShadowInterpreter::undefine(const Warp& warp, const DecodedInstruction* at, std::uint32_t lanes,
                                 std::uint32_t read) {
  const InstructionFlow& flow = flow_of(at);
  if (flow.ptx == nullptr || flow.written.empty()) return;
  const UndefinedResult result{warp.frame, &flow, lanes, read};
  if (run_.observers->following == this)
    shuffled_.push_back(result);
  else
    put(warp, result);
}

void ShadowInterpreter::put(const Warp& warp, const UndefinedResult& result) {
  UndefinedRegister values;
  values.fill({0xffff, result.read});
  put(warp, result.frame, *result.flow, result.flow->written[0], result.lanes, values);
}

void ShadowInterpreter::copy_local(const Warp& warp, std::uint32_t from, std::uint32_t to,
                                   std::uint32_t bytes) {
  auto& local = of(warp).local;
  if (local.empty()) return;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (std::uint64_t b = 0; b < bytes; ++b) {
      const auto found = local.find((from + b) * kWarpSize + lane);
      if (found == local.end())
        local.erase((to + b) * kWarpSize + lane);
      else
        local[(to + b) * kWarpSize + lane] = std::uint32_t{found->second};
    }
  }
}

const DecodedInstruction* ShadowInterpreter::step(Warp& warp, const DecodedInstruction* at) {
  const InstructionFlow& flow = flow_of(at);
  if (flow.ptx == nullptr) return at->handler(warp, at);
  std::uint32_t lanes = warp.active;
  report_use(warp, at, flow, lanes);
  if (flow.ptx->guard >= 0 && !flow.written.empty()) {
    const std::uint32_t slot = flow.slot(flow.ptx->guard);
    if (slot != kNoOperand) lanes &= flow.ptx->guard_negated ? ~warp.mask(slot) : warp.mask(slot);
  }
  if (flow.calls) report_arguments(warp, at);
  Results results = results_of(warp, flow, lanes);
  const auto operands = merge_operands(warp, flow);
  const std::byte* frame = warp.frame;
  access_ = {};
  separate_ = flow.fragment.has_value();
  accesses_.clear();
  struct Following {
    Observers& observers;
    ~Following() { observers.following = nullptr; }
  } following{*run_.observers};
  run_.observers->following = this;
  const DecodedInstruction* next = at->handler(warp, at);
  if (separate_ && access_.bytes != 0) accesses_.push_back(access_);
  if (separate_ && !flow.loads) store_fragment(warp, at, flow);
  if (flow.stores) store(warp, at, flow);
  if (flow.merges) merge(warp, at, flow, operands);
  if (flow.loads && (separate_ || access_.brought)) {
    results.resize(flow.written.size());
    separate_ ? load_fragment(flow, results) : load_results(flow, results);
  }
  // Lanes that wait for other lanes get their results later; these are treated as defined.
  const bool waits = flow.exchanges && (next != at + 1 || (lanes & ~warp.active) != 0);
  if (waits || results.empty()) define(warp, frame, flow, lanes);
  for (std::size_t r = 0; !waits && r < results.size(); ++r)
    put(warp, frame, flow, flow.written[r], lanes, results[r]);
  for (const UndefinedResult& each : std::exchange(shuffled_, {})) put(warp, each);
  return next;
}

const ShadowFactory& shadow_interpreters() {
  struct Factory : ShadowFactory {
    bool may_restart(const Access& access) const override { return can_restart(access); }
    std::unique_ptr<ShadowExecution> start(Block& block) const override {
      return std::make_unique<ShadowInterpreter>(static_cast<BlockRun&>(block));
    }
  };
  static const auto& factory = *new const Factory;
  return factory;
}

}  // namespace warpgrade::emulator
