// Which registers an arithmetic instruction fetches, for the model of time. Encoding: machine_code.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpgrade::fatbin {

// How an opcode reads registers: the places of operands that hold one, and those of them where it is the
// first of a pair (masks).
struct OperandForm {
  unsigned places = 0, pairs = 0;
};

// Registers of the even and of the odd bank: those that an instruction fetches, and those that an earlier one
// has left in operand collectors, where they stay until another warp issues.
struct BankReads {
  std::array<int, 2> fetches = {}, kept = {};
};

// What operand collectors keep. A register stays in its place until another one of its bank is read there.
class OperandCollectors {
 public:
  BankReads read(std::uint64_t low, std::uint64_t high, OperandForm form);

 private:
  static constexpr std::size_t kPlaces = 3, kBanks = 2;
  static constexpr std::uint32_t kNone = 255;  // RZ, which is never fetched

  static std::array<std::uint32_t, kPlaces> operands(std::uint64_t low, std::uint64_t high, unsigned places);

  std::array<std::array<std::uint32_t, kBanks>, kPlaces> kept_ = {
      {{kNone, kNone}, {kNone, kNone}, {kNone, kNone}}};
};

}  // namespace warpgrade::fatbin
