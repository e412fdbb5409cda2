#include "recording/register_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "analysis/flow/def_use.hpp"
#include "machine/decode_context.hpp"
#include "machine/program_impl.hpp"
#include "ops/control.hpp"
#include "ops/inserted.hpp"
#include "recording/value_block.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::uint32_t kCollective = 1;    // DecodedInstruction::guard of a collective means something else
constexpr std::size_t kWidestRegister = 8;  // bytes of a lane; wider registers are left out

bool is_branch(Handler handler) {
  return handler == control::branch_if || handler == control::branch_unless ||
         handler == control::branch_if_back || handler == control::branch_unless_back ||
         handler == control::watched_branch || handler == control::skipping_branch;
}

RecordedInstruction recorded(const DecodedInstruction& from, const ptx::Instruction* ptx) {
  RecordedInstruction out;
  out.branch = is_branch(from.handler);
  out.skipped =
      ptx == nullptr || is_inserted(from, from.handler) || (out.branch && ptx->opcode != ptx::Opcode::bra);
  out.negated = from.handler == control::guarded_not;
  out.collective = from.guard == kCollective;
  return out;
}

// Copies the lanes of `slot` into `mine`, and returns the mask of those that differed. A template over the
// type, so that the loop is vectorised.
template <class T>
std::uint32_t take_lanes(std::byte* mine, const std::byte* slot, std::uint32_t lanes) {
  T before[kWarpSize], now[kWarpSize];
  std::memcpy(before, mine, sizeof before);
  std::memcpy(now, slot, sizeof now);
  std::uint32_t changed = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    changed |= static_cast<std::uint32_t>(before[lane] != now[lane]) << lane;
  changed &= lanes;
  if (lanes == kFullMask) {
    std::memcpy(mine, now, sizeof now);
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if ((changed >> lane & 1) != 0) before[lane] = now[lane];
    std::memcpy(mine, before, sizeof before);
  }
  return changed;
}

// The values of `lanes`, side by side; one bit a lane for a predicate.
void pack_bits(std::uint32_t bits, std::uint32_t lanes, std::byte* to) {
  for (; lanes != 0; lanes &= lanes - 1) *to++ = std::byte(bits >> std::countr_zero(lanes) & 1);
}

template <class T>
void pack(const std::byte* from, std::uint32_t lanes, std::byte* to) {
  for (; lanes != 0; lanes &= lanes - 1, to += sizeof(T))
    std::memcpy(to, from + sizeof(T) * static_cast<unsigned>(std::countr_zero(lanes)), sizeof(T));
}

}  // namespace

RegisterTable::RegisterTable(const Code& code, const Program& program) {
  std::vector<std::vector<std::uint32_t>> number(code.functions.size());
  std::vector<std::int32_t> module_function;
  const auto& functions = program.module().functions;
  for (std::size_t f = 0; f < code.functions.size(); ++f) {
    const CodeFunction& function = code.functions[f];
    number[f].assign(function.register_slots.size(), kNoOperand);
    const auto index = static_cast<std::int32_t>(function.source - functions.data());
    for (std::size_t r = 0; r < function.register_slots.size(); ++r) {
      const std::uint32_t slot = function.register_slots[r];
      if (slot == kNoOperand) continue;
      const ptx::Type type = function.source->registers[r].type;
      const std::size_t width = type == ptx::Type::pred ? 0 : slot_bytes(type) / kWarpSize;
      if (width > kWidestRegister) continue;
      number[f][r] = static_cast<std::uint32_t>(registers.size());
      names.push_back({index, static_cast<std::int32_t>(r)});
      registers.push_back({slot, bytes, static_cast<std::uint8_t>(width), false});
      bytes += width == 0 ? 8 : static_cast<std::uint32_t>(width * kWarpSize);
    }
    if (f == 0) of_kernel = static_cast<std::uint32_t>(registers.size());
  }
  at.reserve(code.instructions.size());
  for (std::size_t p = 0; p < code.instructions.size(); ++p) {
    const ptx::Instruction* ptx = program.origin(code.instructions[p].index).ptx;
    RecordedInstruction& here = at.emplace_back(recorded(code.instructions[p], ptx));
    here.first = here.end = static_cast<std::uint32_t>(written.size());
    if (here.skipped) continue;
    const std::vector<std::uint32_t>& numbers = number[code.function_of[p]];
    for (const std::int32_t r : registers_used(*ptx).written) {
      const auto index = static_cast<std::size_t>(r);
      if (index >= numbers.size() || numbers[index] == kNoOperand) continue;
      written.push_back(numbers[index]);
      registers[numbers[index]].is_written = true;
    }
    here.end = static_cast<std::uint32_t>(written.size());
  }
}

void RegisterShadow::start(const RegisterTable& table, std::uint32_t warps) {
  registers_ = table.registers.size();
  bytes_ = table.bytes;
  value_.assign(bytes_ * warps, std::byte{0});
  known_.assign(registers_ * warps, 0);
}

std::uint32_t RegisterShadow::update(const RegisterTable& table, std::uint32_t warp, std::uint32_t number,
                                     const std::byte* frame, std::uint32_t lanes) {
  const TableRegister& reg = table.registers[number];
  std::byte* const mine = value_.data() + warp * bytes_ + reg.place;
  const std::byte* const slot = frame + reg.slot;
  std::uint32_t& known = known_[warp * registers_ + number];
  std::uint32_t changed = lanes & ~known;
  known |= lanes;
  if (reg.width == 0) {
    std::uint32_t before = 0, now = 0;
    std::memcpy(&before, mine, 4);
    std::memcpy(&now, slot, 4);
    changed |= (before ^ now) & lanes;
    now = (before & ~lanes) | (now & lanes);
    std::memcpy(mine, &now, 4);
    return changed;
  }
  if (reg.width == 4) return changed | take_lanes<std::uint32_t>(mine, slot, lanes);
  if (reg.width == 8) return changed | take_lanes<std::uint64_t>(mine, slot, lanes);
  return changed | take_lanes<std::uint16_t>(mine, slot, lanes);
}

void RegisterShadow::put(std::string& to, const RegisterTable& table, std::uint32_t warp,
                         std::uint32_t number, std::uint32_t lanes, std::uint32_t of_step) const {
  const TableRegister& reg = table.registers[number];
  const std::byte* const mine = value_.data() + warp * bytes_ + reg.place;
  if (lanes == kFullMask && reg.width != 0) return put_lanes(to, lanes, of_step, reg.width, mine);
  std::byte packed[kWidest * kWarpSize];
  if (reg.width == 8) {
    pack<std::uint64_t>(mine, lanes, packed);
  } else if (reg.width == 4) {
    pack<std::uint32_t>(mine, lanes, packed);
  } else if (reg.width == 2) {
    pack<std::uint16_t>(mine, lanes, packed);
  } else {
    std::uint32_t bits = 0;
    std::memcpy(&bits, mine, sizeof bits);
    pack_bits(bits, lanes, packed);
  }
  put_lanes(to, lanes, of_step, std::max<unsigned>(reg.width, 1), packed);
}

}  // namespace warpgrade::emulator
