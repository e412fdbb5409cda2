// Decoding that loads, stores, atomics and copies share.
#pragma once

#include "analysis/memory/load_uses.hpp"
#include "machine/decode_context.hpp"
#include "ops/memory/access_form.hpp"

namespace warpgrade::emulator {

struct DecodedAddress {
  ptx::Space space = ptx::Space::generic;  // the instruction's space, or its symbol's where that is narrower
  bool wide = true;                        // the slot holds 64-bit addresses
  std::uint32_t slot = kNoOperand;
  std::uint64_t offset = 0;       // added to the register
  bool kernel_parameter = false;  // `offset` in Block::parameters, no slot
  std::uint64_t bytes_left = 0;   // kernel_parameter: bytes from there to the end of all parameters
};
// `[register+offset]`, `[name+offset]` or `[number]`.
DecodedAddress decode_address(const ptx::Instruction& from, const ptx::Operand& operand, ptx::Space space,
                              DecodeContext& context);

// Sets operand[kAddressOperand], operand[kFormOperand] and `immediate` of an access of `bytes` per lane.
void encode_access(const MemoryForm& form, const DecodedAddress& address, unsigned bytes,
                   DecodedInstruction& to);

// A memory operand, which must be in brackets. Calls unsupported() if they are missing.
const ptx::Operand& operand_at(const ptx::Instruction& from, std::size_t index, DecodeContext& context);

void decode_atomic(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to);
void decode_mbarrier(const ptx::Instruction& from, DecodeContext& context, bool observed,
                     DecodedInstruction& to);
void decode_async_arrival(const ptx::Instruction& from, DecodeContext& context, bool observed,
                          DecodedInstruction& to);
void decode_bulk_copy(const ptx::Instruction& from, DecodeContext& context, bool observed,
                      DecodedInstruction& to);
void decode_async_copy(const ptx::Instruction& from, DecodeContext& context, bool observed,
                       DecodedInstruction& to);

}  // namespace warpgrade::emulator
