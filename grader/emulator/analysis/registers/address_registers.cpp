#include "analysis/registers/address_registers.hpp"

#include <algorithm>

#include "analysis/flow/def_use.hpp"
#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

constexpr double kIterations = 8;  // assumed for each loop
constexpr double kWorthwhile = 1.5;

// How often a block runs for each run of the function: kIterations to the power of its loop depth.
double frequency(const ControlFlow& flow, std::uint32_t block) {
  double times = 1;
  for (std::int32_t l = flow.blocks[block].loop; l >= 0 && times < 1e6;
       l = flow.loops[static_cast<std::size_t>(l)].parent) {
    times *= kIterations;
  }
  return times;
}

const ptx::Operand* address_of(const ptx::Instruction& instruction) {
  const std::size_t index = instruction.opcode == Opcode::ld ? 1 : 0;
  if (instruction.operands.size() != 2) return nullptr;
  const ptx::Operand& operand = instruction.operands[index];
  return operand.kind == ptx::Operand::Kind::address && operand.has_reg && operand.elements.empty() ? &operand
                                                                                                    : nullptr;
}

// All data registers have the width of the element, and none is a sink or an immediate.
bool moves_whole_registers(const ptx::Operand& data, const ptx::Function& function, ptx::Type width,
                           int& vector) {
  auto is_whole = [&](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::reg &&
           slot_type(function.registers[static_cast<std::size_t>(operand.reg)].type) == width;
  };
  if (data.kind != ptx::Operand::Kind::vector) {
    vector = 1;
    return is_whole(data);
  }
  vector = static_cast<int>(data.elements.size());
  return std::all_of(data.elements.begin(), data.elements.end(), is_whole);
}

}  // namespace

std::optional<AffineAccess> find_affine_access(const ptx::Instruction& instruction,
                                               const ptx::Function& function) {
  const bool is_store = instruction.opcode == Opcode::st;
  if ((!is_store && instruction.opcode != Opcode::ld) || instruction.guard >= 0) return std::nullopt;
  if (instruction.is_strong()) return std::nullopt;
  const ptx::Space space = instruction.space();
  if (space != ptx::Space::shared && space != ptx::Space::global) return std::nullopt;
  const ptx::Operand* address = address_of(instruction);
  if (!address || instruction.modifiers.empty()) return std::nullopt;
  const ptx::Type width = slot_type(instruction.type());
  if (width != ptx::Type::b32 && width != ptx::Type::b64) return std::nullopt;
  AffineAccess access;
  access.space = space;
  access.wide_address =
      slot_type(function.registers[static_cast<std::size_t>(address->reg)].type) == ptx::Type::b64;
  access.is_store = is_store;
  access.bytes = static_cast<unsigned>(ptx::size_in_bytes(width));
  if (!moves_whole_registers(instruction.operands[is_store ? 1 : 0], function, width, access.vector))
    return std::nullopt;
  return access;
}

std::vector<bool> find_address_registers(const ptx::Function& function, const ControlFlow& flow) {
  std::vector<double> accesses(function.registers.size(), 0), writes(function.registers.size(), 0);
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const double times = frequency(flow, b);
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      const ptx::Instruction& instruction = function.instructions[i];
      for (std::int32_t r : registers_used(instruction).written) writes[static_cast<std::size_t>(r)] += times;
      if (!find_affine_access(instruction, function)) continue;
      accesses[static_cast<std::size_t>(address_of(instruction)->reg)] += times;
    }
  }
  std::vector<bool> has_pattern(function.registers.size());
  for (std::size_t r = 0; r < has_pattern.size(); ++r) has_pattern[r] = accesses[r] > kWorthwhile * writes[r];
  return has_pattern;
}

std::vector<AccessRange> find_shared_ranges(const ptx::Function& function) {
  constexpr std::int64_t kMost = 1 << 24;  // more shared memory than any block has
  std::vector<AccessRange> ranges(function.registers.size());
  std::vector<bool> odd(function.registers.size());
  for (const ptx::Instruction& instruction : function.instructions) {
    const std::optional<AffineAccess> access = find_affine_access(instruction, function);
    if (!access || access->space != ptx::Space::shared) continue;
    const ptx::Operand& address = *address_of(instruction);
    const auto r = static_cast<std::size_t>(address.reg);
    const auto bytes = access->bytes * static_cast<std::uint32_t>(access->vector);
    const std::int64_t begin = address.offset;
    odd[r] = odd[r] || begin % bytes != 0 || begin < -kMost || begin > kMost;
    if (odd[r]) continue;
    AccessRange& range = ranges[r];
    const bool first = range.end < range.begin;
    const auto from = static_cast<std::int32_t>(begin), to = from + static_cast<std::int32_t>(bytes);
    range.begin = first ? from : std::min(range.begin, from);
    range.end = first ? to : std::max(range.end, to);
    range.alignment = std::max(range.alignment, bytes);
  }
  for (std::size_t r = 0; r < ranges.size(); ++r)
    if (odd[r]) ranges[r] = {};
  return ranges;
}

}  // namespace warpgrade::emulator
