// Conversions between address spaces and questions about addresses (manual 9.7.9.19 and following).
#include "ops/memory/address_space.hpp"

#include <bit>

#include "machine/block.hpp"
#include "machine/launch.hpp"
#include "machine/memory/local_window.hpp"
#include "machine/memory/shared_window.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

// Generic address = address in its space + base of its window; for global, const and parameters both
// are the same. Local memory: below.
const DecodedInstruction* convert(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[1]);
  const std::uint64_t add = at->immediate;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = from[lane] + add;
  return at + 1;
}

const DecodedInstruction* from_local(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[1]);
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = from[lane] + warp.local_window + lane * kLocalWindowBytes;
  return at + 1;
}

const DecodedInstruction* to_local(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[1]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = local_offset(from[lane]);
  return at + 1;
}

bool is_in(const Block& block, ptx::Space space, std::uint64_t address) {
  const bool shared = is_in_shared_window(address);
  const bool local = is_local(address);
  switch (space) {
    case ptx::Space::shared:
      return shared;
    case ptx::Space::local:
      return local;
    case ptx::Space::param:
      return block.launch != nullptr && block.parameters_at != 0 &&
             address - block.parameters_at < block.launch->parameters.size();
    case ptx::Space::constant: {
      const Allocation* found = block.memory->find(address);
      return found != nullptr && found->kind == Allocation::Kind::module_constant;
    }
    default:
      return !shared && !local;
  }
}

template <ptx::Space Where>
const DecodedInstruction* is_space(Warp& warp, const DecodedInstruction* at) {
  const std::uint64_t* from = warp.lanes<std::uint64_t>(at->operand[1]);
  std::uint32_t yes = 0;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (is_in(*warp.block, Where, from[lane])) yes |= 1u << lane;
  }
  std::uint32_t& to = warp.mask(at->operand[0]);
  to = (to & ~warp.active) | yes;
  return at + 1;
}

const DecodedInstruction* nothing(Warp&, const DecodedInstruction* at) { return at + 1; }

// Cache policies have no effect; the register gets a defined value.
const DecodedInstruction* zero(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = 0;
  return at + 1;
}

const DecodedInstruction* zero_32(Warp& warp, const DecodedInstruction* at) {
  std::uint32_t* to = warp.lanes<std::uint32_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = 0;
  return at + 1;
}

const DecodedInstruction* copy_32(Warp& warp, const DecodedInstruction* at) {
  std::uint32_t* to = warp.lanes<std::uint32_t>(at->operand[0]);
  const std::uint32_t* from = warp.lanes<std::uint32_t>(at->operand[1]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = from[lane];
  return at + 1;
}

Handler is_space_handler(ptx::Space space) {
  switch (space) {
    case ptx::Space::global:
      return is_space<ptx::Space::global>;
    case ptx::Space::shared:
      return is_space<ptx::Space::shared>;
    case ptx::Space::local:
      return is_space<ptx::Space::local>;
    case ptx::Space::constant:
      return is_space<ptx::Space::constant>;
    case ptx::Space::param:
      return is_space<ptx::Space::param>;
    default:
      return nullptr;
  }
}

}  // namespace

void decode_cvta(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  bool back = false, wide = false;
  ptx::Space space = ptx::Space::generic;
  for (std::size_t n = 0; n < from.modifiers.size(); ++n) {
    const Modifier each = from.modifiers[n];
    if (each == Modifier::to)
      back = true;
    else if (each == Modifier::u64)
      wide = true;
    else if (ptx::space_of(each) != ptx::Space::none && each != Modifier::param_func)
      space = ptx::space_of(each);
    else
      context.unsupported(from, "." + std::string(from.modifier_text(n)) + " is not offered");
  }
  if (!wide) context.unsupported(from, "addresses have 64 bits here: use .u64");
  const std::uint64_t window = space == ptx::Space::shared ? kSharedWindow : 0;
  to.handler = space != ptx::Space::local ? convert : back ? to_local : from_local;
  to.immediate = back ? std::uint64_t{0} - window : window;
  to.operand[0] = context.slot(from.operands.at(0), ptx::Type::u64);
  to.operand[1] = context.slot(from.operands.at(1), ptx::Type::u64);
}

void decode_isspacep(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  to.handler = is_space_handler(from.space());
  if (to.handler == nullptr)
    context.unsupported(from, "isspacep asks for global, shared, local, const or param");
  to.operand[0] = context.slot(from.operands.at(0), ptx::Type::pred);
  to.operand[1] = context.slot(from.operands.at(1), ptx::Type::u64);
}

void decode_cluster_address(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  const bool rank = from.opcode == Opcode::getctarank;
  const ptx::Operand& source = from.operands.at(1);
  const bool wide = from.modifiers.empty() || from.modifiers.back() == Modifier::u64;
  to.handler = rank ? zero_32 : wide ? convert : copy_32;
  to.operand[0] = context.slot(from.operands.at(0), rank || !wide ? ptx::Type::u32 : ptx::Type::u64);
  if (!rank) to.operand[1] = context.slot(source, wide ? ptx::Type::u64 : ptx::Type::u32);
}

void decode_hint(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  const bool policy = from.opcode == Opcode::createpolicy;
  to.handler = policy ? zero : nothing;
  if (policy) to.operand[0] = context.slot(from.operands.at(0), ptx::Type::b64);
}

}  // namespace warpgrade::emulator
