// Definedness of an instruction's results: from that of its operands, and of the memory that it loads.
#include <algorithm>
#include <bit>
#include <cstring>

#include "definedness/shadow_interpreter.hpp"
#include "machine/decode_context.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

// The lane that shfl.sync takes the value from (manual 9.7.9.6).
unsigned source_lane(const ptx::Instruction& shuffle, unsigned lane, std::uint32_t b, std::uint32_t c) {
  const unsigned segment = c >> 8 & 31, clamp = c & 31, most = (lane & segment) | (clamp & ~segment);
  const unsigned by = b & 31;
  unsigned from = 0;
  bool inside = false;
  if (shuffle.has(Modifier::up)) {
    from = lane - by;
    inside = static_cast<int>(from) >= static_cast<int>(most);
  } else if (shuffle.has(Modifier::down)) {
    from = lane + by;
    inside = from <= most;
  } else if (shuffle.has(Modifier::bfly)) {
    from = lane ^ by;
    inside = from <= most;
  } else {
    from = (lane & segment) | (by & ~segment);
    inside = from <= most;
  }
  return inside ? from & 31 : lane;
}

}  // namespace

class ShadowInterpreter::Operands : public LaneOperands {
 public:
  Operands(ShadowInterpreter& values, const Warp& warp, const InstructionFlow& flow)
      : values_(values), warp_(warp), flow_(flow) {}
  Undefined undefined(std::int32_t reg) const override {
    const Slot* slot = values_.slot_of(warp_, warp_.frame, flow_, reg);
    return slot == nullptr ? Undefined{} : slot->of[lane];
  }
  std::uint64_t value(std::int32_t reg) const override {
    const std::uint32_t slot = flow_.slot(reg);
    if (slot == kNoOperand) return 0;
    const ptx::Type type = slot_type(flow_.type(reg));
    if (type == ptx::Type::pred) return warp_.mask(slot) >> lane & 1;
    const std::size_t bytes = slot_bytes(type) / kWarpSize;
    std::uint64_t out = 0;
    std::memcpy(&out, warp_.frame + slot + lane * bytes, std::min<std::size_t>(bytes, 8));
    return out;
  }
  unsigned lane = 0;

 private:
  ShadowInterpreter& values_;
  const Warp& warp_;
  const InstructionFlow& flow_;
};

// Definedness of the results, from that of the registers read.
ShadowInterpreter::Results ShadowInterpreter::results_of(const Warp& warp, const InstructionFlow& flow,
                                                         std::uint32_t lanes) {
  if (flow.written.empty() || flow.loads) return {};
  std::uint32_t undefined = 0;
  for (const std::int32_t reg : flow.read)
    if (const Slot* slot = slot_of(warp, warp.frame, flow, reg)) undefined |= slot->lanes;
  if (undefined == 0) return {};
  Results results(flow.written.size());
  if (flow.exchanges) {
    exchange(warp, flow, results);
    return results;
  }
  if (flow.mixes) {
    mix(warp, flow, lanes, results);
    return results;
  }
  Operands operands(*this, warp, flow);
  std::vector<Undefined> one(results.size());
  for (std::uint32_t left = lanes & undefined; left != 0; left &= left - 1) {
    operands.lane = static_cast<unsigned>(std::countr_zero(left));
    std::fill(one.begin(), one.end(), Undefined{});
    propagate_undefined(*flow.ptx, flow.read, operands, one);
    for (std::size_t r = 0; r < one.size(); ++r) results[r][operands.lane] = one[r];
  }
  return results;
}

// The results of an instruction with InstructionFlow::mixes, as propagate_undefined() gives them.
void ShadowInterpreter::mix(const Warp& warp, const InstructionFlow& flow, std::uint32_t lanes,
                            Results& results) {
  for (const std::int32_t reg : flow.read) {
    const Slot* slot = slot_of(warp, warp.frame, flow, reg);
    if (slot == nullptr) continue;
    for (std::uint32_t left = slot->lanes & lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      for (UndefinedRegister& result : results) result[lane] = {0xffff, slot->of[lane].read};
    }
    lanes &= ~slot->lanes;  // the finding names the first undefined operand
  }
}

// Calls `use` for each undefined value of the operand: index of its register in the list, lane, value.
template <class Use>
void ShadowInterpreter::each_undefined(const Warp& warp, const InstructionFlow& flow,
                                       const ptx::Operand& operand, const Use& use) {
  const auto each = [&](std::size_t number, std::int32_t reg) {
    const Slot* slot = reg < 0 ? nullptr : slot_of(warp, warp.frame, flow, reg);
    if (slot == nullptr) return;
    for (std::uint32_t left = slot->lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      use(number, lane, slot->of[lane]);
    }
  };
  each(0, operand.kind == Kind::reg ? operand.reg : -1);
  for (std::size_t e = 0; e < operand.elements.size(); ++e) each(e, operand.elements[e].reg);
}

// Each lane of a shuffle gets the definedness of its source lane.
void ShadowInterpreter::shuffle(const Warp& warp, const InstructionFlow& flow, Results& results) {
  const ptx::Instruction& i = *flow.ptx;
  Operands operands(*this, warp, flow);
  const auto number = [&](std::size_t o) {
    const ptx::Operand& operand = i.operands[o];
    return static_cast<std::uint32_t>(operand.kind == Kind::reg ? operands.value(operand.reg) : operand.bits);
  };
  for (unsigned& lane = operands.lane; lane < kWarpSize; ++lane) {
    const unsigned source = source_lane(i, lane, number(2), number(3));
    each_undefined(warp, flow, i.operands[1], [&](std::size_t, unsigned held, const Undefined& value) {
      if (held == source) results[0][lane] = value;
    });
  }
}

// mma results depend on one row and one column. For every other exchange except shfl, one undefined lane
// makes all results undefined.
void ShadowInterpreter::exchange(const Warp& warp, const InstructionFlow& flow, Results& results) {
  const ptx::Instruction& i = *flow.ptx;
  if (i.opcode == Opcode::shfl) return shuffle(warp, flow, results);
  if (const auto form = isa::matrix_form(i)) {
    std::array<std::vector<UndefinedRegister>, 3> operands;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const ptx::Operand& operand = i.operands[o + 1];
      operands[o].resize(std::max<std::size_t>(operand.elements.size(), 1));
      each_undefined(warp, flow, operand, [&](std::size_t number, unsigned lane, const Undefined& value) {
        operands[o][number][lane] = value;
      });
    }
    find_undefined_mma_elements(*form, operands, results);
    return;
  }
  for (std::size_t o = 1; o < i.operands.size(); ++o)
    each_undefined(warp, flow, i.operands[o], [&](std::size_t, unsigned, const Undefined& value) {
      for (UndefinedRegister& result : results) result.fill({0xffff, value.read});
    });
}

// Definedness of loaded registers, except for wmma.load. For ldmatrix, lane 8j + i loads row i of matrix j.
void ShadowInterpreter::load_results(const InstructionFlow& flow, Results& results) const {
  const ptx::Instruction& i = *flow.ptx;
  const bool plain = i.opcode != Opcode::ldmatrix;
  const bool rows = !plain && i.has(Modifier::m8n8), across = i.has(Modifier::trans);
  const unsigned part = access_.bytes / flow.elements;
  const bool is_signed = ptx::is_signed(i.type());
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t undefined = access_.undefined[lane];
    if (undefined == 0) continue;
    const std::uint32_t read = access_.read[lane];
    for (std::size_t r = 0, e = 0; plain && r < results.size(); ++e) {
      if (e < flow.stored.size() && flow.stored[e] < 0) continue;  // a sink
      results[r++][lane] = {extended(undefined >> e * part, part, is_signed), read};
    }
    for (unsigned c = 0; rows && c < 8; ++c) {
      if ((undefined >> 2 * c & 3) == 0 || lane / 8 >= results.size()) continue;
      const unsigned row = across ? c : lane % 8, column = across ? lane % 8 : c;
      Undefined& to = results[lane / 8][4 * row + column / 2];
      to = {static_cast<std::uint16_t>(to.bytes | 3u << column % 2 * 2), read};
    }
    if (plain || rows) continue;
    for (auto& result : results) result[lane] = {0xffff, read};
  }
}

// The operand of a bitwise atomic, read before the atomic runs: the result may go to the same register.
std::array<std::uint64_t, kWarpSize> ShadowInterpreter::merge_operands(const Warp& warp,
                                                                       const InstructionFlow& flow) {
  std::array<std::uint64_t, kWarpSize> found{};
  if (!flow.merges) return found;
  Operands operands(*this, warp, flow);
  const ptx::Operand& operand = flow.ptx->operands.back();
  for (unsigned& lane = operands.lane; lane < kWarpSize; ++lane)
    found[lane] = operand.kind == Kind::reg ? operands.value(operand.reg) : operand.bits;
  return found;
}

}  // namespace warpgrade::emulator
