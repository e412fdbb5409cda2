// Definedness of matrix fragments: wmma.load and wmma.store. Their accesses come in the order of the elements
// in a lane's registers.
#include <bit>
#include <utility>

#include "definedness/shadow_interpreter.hpp"

namespace warpgrade::emulator {
namespace {

// The register and byte that hold byte `b` of the n-th access.
struct RegisterByte {
  std::size_t reg = 0;
  unsigned byte = 0;
};
RegisterByte register_byte(const isa::Fragment& fragment, std::size_t n, unsigned bytes, unsigned b) {
  const std::size_t at = n * bytes + b, width = fragment.width / 8u;
  return {at / width, static_cast<unsigned>(at % width)};
}

}  // namespace

void ShadowInterpreter::load_fragment(const InstructionFlow& flow, Results& results) {
  for (std::size_t n = 0; n < accesses_.size(); ++n)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (std::uint64_t left = accesses_[n].undefined[lane]; left != 0; left &= left - 1) {
        const RegisterByte to = register_byte(flow.fragment->fragment, n, accesses_[n].bytes,
                                              static_cast<unsigned>(std::countr_zero(left)));
        if (to.reg >= results.size()) continue;
        Undefined& value = results[to.reg][lane];
        value = {static_cast<std::uint16_t>(value.bytes | 1u << to.byte), accesses_[n].read[lane]};
      }
}

void ShadowInterpreter::store_fragment(const Warp& warp, const DecodedInstruction* at,
                                       const InstructionFlow& flow) {
  const std::vector<PendingAccess> parts = std::exchange(accesses_, {});
  for (std::size_t n = 0; n < parts.size(); ++n) {
    access_ = parts[n];
    for (std::uint32_t left = access_.stores; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      std::uint64_t missing = 0;
      std::uint32_t read = 0;
      for (unsigned b = 0; b < access_.bytes; ++b) {
        const RegisterByte from = register_byte(flow.fragment->fragment, n, access_.bytes, b);
        if (from.reg >= flow.stored.size() || flow.stored[from.reg] < 0) continue;
        const Slot* slot = slot_of(warp, warp.frame, flow, flow.stored[from.reg]);
        if (slot == nullptr || (slot->of[lane].bytes >> from.byte & 1) == 0) continue;
        missing |= std::uint64_t{1} << b;
        read = slot->of[lane].read;
      }
      if (access_.space[lane] == ptx::Space::global && missing == (std::uint64_t{1} << access_.bytes) - 1) {
        report_use(warp, at, read);
        missing = 0;
      }
      mark_memory(warp, lane, missing, read);
    }
  }
}

}  // namespace warpgrade::emulator
