// cp.async (manual 9.7.9.25.3): copies from global to shared memory that a thread must wait for.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/memory/decode_common.hpp"
#include "ops/memory/pending_copies.hpp"
#include "ops/memory/resolve.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
namespace {

constexpr int kSourceBytes = 0, kTargetAddress = 1, kTargetForm = 6;
constexpr std::uint32_t kIgnoresSource = 1;  // operand[7]: operand[0] is a predicate

// The manual does not define a src-size above the size of the copy; the emulator ignores the excess.
void report_source_bytes(Warp& warp, const DecodedInstruction* at, unsigned size, std::uint32_t asked) {
  Finding finding =
      finding_at(warp, at, FindingKind::out_of_bounds_read,
                 "a copy of " + std::to_string(size) + " bytes is to read " + std::to_string(asked) +
                     " of them: the bytes to read (src-size) are at most those to write (cp-size)");
  finding.site.access = "read";
  finding.lanes = 1;
  warp.block->observers->report(*warp.block, std::move(finding));
}

unsigned source_bytes(Warp& warp, const DecodedInstruction* at, int lane, unsigned size) {
  const std::uint32_t slot = at->operand[kSourceBytes];
  if (slot == kNoOperand) return size;
  if (at->operand[7] == kIgnoresSource) return (warp.mask(slot) >> lane & 1u) != 0 ? 0 : size;
  const std::uint32_t asked = warp.lanes<std::uint32_t>(slot)[lane];
  if (asked > size) report_source_bytes(warp, at, size, asked);
  return asked < size ? asked : size;
}

// The instruction as an access of one side, for read_addresses() and resolve().
DecodedInstruction side(const DecodedInstruction* at, bool target) {
  DecodedInstruction out = *at;
  if (target) {
    out.operand[kAddressOperand] = at->operand[kTargetAddress];
    out.operand[kFormOperand] = at->operand[kTargetForm];
  }
  out.immediate = static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<std::int32_t>(target ? at->immediate >> 32 : at->immediate)));
  return out;
}

// Resolves the sources of the active lanes. `any`: the union of their copy.bytes. A lane that reads 12 of 16
// bytes (src-size at a matrix's edge) reads 8 and then 4, because the remaining bytes may be out of bounds.
void resolve_source(Warp& warp, const DecodedInstruction& from, AsyncCopy& copy, unsigned any,
                    Lanes& source) {
  const std::uint32_t active = warp.active;
  AccessForm form = form_of(&from);
  read_addresses(warp, &from, form, source.address);
  for (unsigned part = copy.size; part != 0; part /= 2) {
    if ((any & part) == 0 && part != copy.size) continue;
    Lanes those;
    warp.active = 0;
    for (std::uint32_t left = active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const bool misaligned =
          part == copy.size && source.address[lane] % part != 0;  // a fault of the whole access
      if ((copy.bytes[lane] & part) == 0 && !misaligned) continue;
      those.address[lane] = source.address[lane] + (copy.bytes[lane] & ~(2 * part - 1));
      warp.active |= 1u << lane;
    }
    form.bytes = static_cast<std::uint8_t>(part);
    if (warp.active != 0) resolve({warp, &from, form, Access::Kind::read, copy.observed, true}, those);
    for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (those.address[lane] == source.address[lane]) copy.source[lane] = those.host[lane];
    }
  }
  warp.active = active;
}

template <bool Observed>
const DecodedInstruction* issue(Warp& warp, const DecodedInstruction* at) {
  const DecodedInstruction from = side(at, false), to = side(at, true);
  const AccessForm target_form = form_of(&to);
  AsyncCopy copy;
  copy.at = at;
  copy.observed = Observed;
  copy.target_form = target_form;
  copy.mask = warp.active;
  copy.size = target_form.bytes;
  Lanes source, target;
  read_addresses(warp, &to, target_form, copy.target);
  std::memcpy(target.address, copy.target, sizeof target.address);
  resolve({warp, &to, target_form, Access::Kind::write, Observed, true}, target);
  WarpCopies& queue = copies_of(*warp.block).warps[warp.index];
  // Lanes that read nothing (src-size 0 at a matrix's edge) may hold any source address.
  const std::uint32_t active = warp.active;
  unsigned any = 0;
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    copy.bytes[lane] = static_cast<std::uint8_t>(source_bytes(warp, at, lane, copy.size));
    any |= copy.bytes[lane];
    copy.group[lane] = queue.committed[lane];
    if (copy.bytes[lane] == 0) warp.active &= ~(1u << lane);
  }
  if (warp.active != 0) resolve_source(warp, from, copy, any, source);
  if (Observed)
    warp.block->observers->copy_issued(
        {at, active, active & ~warp.active, copy.size, source.address, copy.target});
  warp.active = active;
  queue.pending.push_back({copy, queue.issued++});
  return at + 1;
}

const DecodedInstruction* commit(Warp& warp, const DecodedInstruction* at) {
  WarpCopies& queue = copies_of(*warp.block).warps[warp.index];
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1)
    ++queue.committed[std::countr_zero(left)];
  return at + 1;
}

// Waits until at most `immediate` of the latest groups are pending; if All, waits for all copies, committed
// or not.
template <bool All>
const DecodedInstruction* wait(Warp& warp, const DecodedInstruction* at) {
  WarpCopies& queue = copies_of(*warp.block).warps[warp.index];
  for (auto& [copy, number] : queue.pending) {
    std::uint32_t done = 0;
    for (std::uint32_t left = copy.mask & warp.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (All || copy.group[lane] + at->immediate < queue.committed[lane]) done |= 1u << lane;
    }
    if (done != 0) finish_copy(warp, copy, done);
    copy.mask &= ~done;
  }
  std::erase_if(queue.pending, [](const WarpCopies::Issued& issued) { return issued.copy.mask == 0; });
  return at + 1;
}

void decode_copy(const ptx::Instruction& from, DecodeContext& context, bool observed,
                 DecodedInstruction& to) {
  const ptx::Operand& size = operand_at(from, 2, context);
  if (size.kind != ptx::Operand::Kind::integer || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    context.unsupported(from, "cp.async copies 4, 8 or 16 bytes");
  const auto bytes = static_cast<unsigned>(size.bits);
  MemoryForm form;
  const DecodedAddress target =
      decode_address(from, operand_at(from, 0, context), ptx::Space::shared, context);
  const DecodedAddress source =
      decode_address(from, operand_at(from, 1, context), ptx::Space::global, context);
  const auto fits = [](std::uint64_t offset) {
    const auto value = static_cast<std::int64_t>(offset);
    return value == static_cast<std::int32_t>(value);
  };
  if (!fits(target.offset) || !fits(source.offset)) context.unsupported(from, "an offset beyond 32 bits");
  encode_access(form, target, bytes, to);
  to.operand[kTargetAddress] = to.operand[kAddressOperand];
  to.operand[kTargetForm] = to.operand[kFormOperand];
  encode_access(form, source, bytes, to);
  to.immediate = (target.offset << 32) | (source.offset & 0xffffffffu);
  const bool hint = from.has(Modifier::L2_cache_hint);
  to.operand[7] = 0;
  if (from.operands.size() > 3u + hint) {
    const ptx::Operand& extra = from.operands[3];
    const bool predicate = context.declared(extra, ptx::Type::u32) == ptx::Type::pred;
    to.operand[kSourceBytes] = context.slot(extra, predicate ? ptx::Type::pred : ptx::Type::u32);
    to.operand[7] = predicate ? kIgnoresSource : 0;
  }
  to.handler = observed ? issue<true> : issue<false>;
}

}  // namespace

void decode_async_copy(const ptx::Instruction& from, DecodeContext& context, bool observed,
                       DecodedInstruction& to) {
  if (!from.has(Modifier::async) || from.has(Modifier::tensor))
    context.unsupported(from, "of the asynchronous copies, those of tensors are not emulated");
  if (from.has(Modifier::mbarrier)) {
    decode_async_arrival(from, context, observed, to);
  } else if (from.has(Modifier::bulk)) {
    decode_bulk_copy(from, context, observed, to);
  } else if (from.has(Modifier::commit_group)) {
    to.handler = commit;
  } else if (from.has(Modifier::wait_all)) {
    to.handler = wait<true>;
  } else if (from.has(Modifier::wait_group)) {
    to.immediate = operand_at(from, 0, context).bits;
    to.handler = wait<false>;
  } else {
    decode_copy(from, context, observed, to);
  }
}

}  // namespace warpgrade::emulator
