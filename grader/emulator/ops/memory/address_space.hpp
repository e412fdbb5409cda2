// cvta, isspacep, and instructions that only advise the caches.
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

void decode_cvta(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);
void decode_isspacep(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);
// prefetch, prefetchu, discard, applypriority: nothing happens. createpolicy: a policy without meaning.
// mapa, getctarank: a block is a cluster of its own.
void decode_cluster_address(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);
void decode_hint(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);

}  // namespace warpgrade::emulator
