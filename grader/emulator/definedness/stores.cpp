// Definedness of memory after stores and after bitwise atomics.
#include <algorithm>
#include <bit>

#include "definedness/shadow_interpreter.hpp"
#include "machine/observers.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// True for a word of a struct copy whose neighbour in the same eight bytes is defined: only structs with
// 8-byte members have whole words of padding.
bool ShadowInterpreter::is_padding(const Warp& warp, const InstructionFlow& flow, unsigned lane) {
  return std::any_of(flow.beside.begin(), flow.beside.end(), [&](const AdjacentWord& other) {
    const std::uint64_t here = access_.address[lane],
                        there = here + static_cast<std::uint64_t>(other.distance);
    const Slot* slot = slot_of(warp, warp.frame, flow, other.reg);
    return here / 8 == there / 8 && (slot == nullptr || (slot->of[lane].bytes & 0xf) != 0xf);
  });
}

// A store to global memory is a use of an undefined value where all bytes that a lane stores are undefined,
// or some of a computed value or of a word that cudaMemset has set in part. Other partly undefined stores may
// be padding: the compiler copies the padding of a struct as part of an element, as an element of a vector,
// as a vector of bytes, or as separate words.
void ShadowInterpreter::store(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow) {
  const unsigned part = access_.bytes / flow.elements;
  const std::uint64_t whole = (std::uint64_t{1} << part) - 1;
  for (std::uint32_t left = access_.stores; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t missing = 0;
    std::uint32_t read = 0;
    for (unsigned e = 0; e < flow.stored.size(); ++e) {
      const Slot* slot = flow.stored[e] < 0 ? nullptr : slot_of(warp, warp.frame, flow, flow.stored[e]);
      if (slot == nullptr || slot->of[lane].bytes == 0) continue;
      read = slot->of[lane].read;
      missing |= (slot->of[lane].bytes & whole) << e * part;
    }
    // Assigning a bit-field defines the bytes that contain it; bytes that are kept whole stay undefined.
    for (unsigned b = 0; flow.value.kept && b < access_.bytes; ++b)
      if ((*flow.value.kept >> 8 * b & 0xff) != 0xff) missing &= ~(std::uint64_t{1} << b);
    const std::uint64_t count = flow.value.loaded != 0 ? flow.value.loaded : access_.bytes;
    const bool all = missing == (std::uint64_t{1} << count) - 1 && !flow.value.kept,
               part_of_result = missing != 0 && flow.value.computed,
               padding = (flow.elements > 1 && part == 1) || is_padding(warp, flow, lane),
               cut = missing != 0 && run_.observers->has_cut_word(run_, read);
    if (access_.space[lane] == ptx::Space::global && ((all && !padding) || part_of_result || cut)) {
      report_use(warp, at, read);
      missing = 0;
    }
    mark_memory(warp, lane, missing, read);
  }
}

// A bitwise atomic that sets a one-byte flag, for example, keeps the other bytes of its word: their
// definedness does not change.
void ShadowInterpreter::merge(const Warp& warp, const DecodedInstruction* at, const InstructionFlow& flow,
                              const std::array<std::uint64_t, kWarpSize>& operands) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (access_.undefined[lane] == 0) continue;
    const MergedBytes bytes = merged(*flow.ptx, access_.undefined[lane], operands[lane]);
    if (bytes.used != 0) report_use(warp, at, access_.read[lane]);
    mark_memory(warp, lane, bytes.used != 0 ? 0 : bytes.kept, access_.read[lane]);
  }
}

// Marks each byte of the access as undefined or defined in shadow memory.
void ShadowInterpreter::mark_memory(const Warp& warp, unsigned lane, std::uint64_t missing,
                                    std::uint32_t read) {
  auto& local = of(warp).local;
  for (unsigned b = 0; b < access_.bytes; ++b) {
    const std::uint64_t to = access_.address[lane] + b;
    const bool undefined = (missing >> b & 1) != 0;
    if (access_.space[lane] == ptx::Space::local && undefined) local[to * kWarpSize + lane] = read;
    if (access_.space[lane] == ptx::Space::local && !undefined) local.erase(to * kWarpSize + lane);
    if (access_.space[lane] == ptx::Space::shared && undefined) shared_[to] = read;
    if (undefined) run_.observers->mark_undefined(run_, access_.space[lane], to);
  }
}

}  // namespace warpgrade::emulator
