// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, bar.warp.sync: the lanes of a member mask execute
// them together, even if they arrive at different instructions.
#pragma once

#include "machine/exchange.hpp"
#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// One collective with one set of qualifiers: lanes that wait at instructions with the same CollectiveOps
// meet, also from different places (PTX ISA 9.7.9.6 asks for the same qualifiers, not the same place).
struct CollectiveOps {
  // Copies the operands of Warp::active into the exchange, except for the member mask.
  void (*deposit)(Warp& warp, const DecodedInstruction* at, Exchange& exchange);
  // Writes the results of Warp::active. All lanes in their member masks that are alive have arrived.
  void (*complete)(Warp& warp, const DecodedInstruction* at, const Exchange& exchange);
  // Fast path without the exchange, for a full warp in which each lane's mask names all lanes. Returns false,
  // with no effect, if it does not apply. May be null.
  bool (*whole)(Warp& warp, const DecodedInstruction* at) = nullptr;
  bool orders_memory = false;  // bar.warp.sync
  // Called once before the first complete(), while the registers of all lanes are unchanged since arrival.
  void (*prepare)(Warp& warp, const DecodedInstruction* at, Exchange& exchange) = nullptr;
};

// Operands: [0] destination, [1] predicate destination, [2] value, [3] b, [4] c, [5] member mask.
// immediate: CollectiveOps; guard: negation of a predicate source: kNoOperand or 1.
const DecodedInstruction* collective(Warp& warp, const DecodedInstruction* at);

// The CollectiveOps of an instruction; null if it is not a collective.
const CollectiveOps* find_collective(const ptx::Instruction& instruction);

// To be called after lanes of the warp have exited: completes operations that waited for them.
void complete_collectives(Warp& warp);

}  // namespace warpgrade::emulator
