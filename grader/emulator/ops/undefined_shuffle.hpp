// Shuffles from lanes that do not take part. "Results are undefined" if the source lane is inactive or not in
// the member mask (PTX ISA 9.7.9.6): such a value is tracked like one from unwritten memory, and reported if
// something depends on it.
#pragma once

#include "machine/exchange.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

// These lanes, all running, have got an undefined value; the lowest of them has read lane `source`.
void note_undefined_shuffle(Warp& warp, const DecodedInstruction* at, const Exchange& exchange,
                            std::uint32_t lanes, std::uint32_t source);

// To be returned by a handler that may have completed a shuffle: `next`, unless the warp now holds undefined
// values. Then throws ShadowRestart, so that they are tracked from there on (run_warp).
const DecodedInstruction* follow_undefined(const Warp& warp, const DecodedInstruction* next);

}  // namespace warpgrade::emulator
