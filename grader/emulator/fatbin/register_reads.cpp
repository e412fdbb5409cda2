#include "fatbin/register_reads.hpp"

#include <algorithm>

namespace warpgrade::fatbin {

// An operand that comes from elsewhere is the zero register.
std::array<std::uint32_t, OperandCollectors::kPlaces> OperandCollectors::operands(std::uint64_t low,
                                                                                  std::uint64_t high,
                                                                                  unsigned places) {
  const bool second_is_register = (low >> 9 & 7) == 1;
  std::array<std::uint32_t, kPlaces> found = {
      static_cast<std::uint32_t>(low >> 24 & 255),
      second_is_register ? static_cast<std::uint32_t>(low >> 32 & 255) : kNone,
      static_cast<std::uint32_t>(high & 255)};
  for (std::size_t place = 0; place < kPlaces; ++place)
    if ((places >> place & 1u) == 0) found[place] = kNone;
  return found;
}

BankReads OperandCollectors::read(std::uint64_t low, std::uint64_t high, OperandForm form) {
  BankReads found;
  const auto wanted = operands(low, high, form.places);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const std::uint32_t number = wanted[place];
    if (number == kNone) continue;
    const std::size_t bank = number % kBanks;
    std::uint32_t& kept = kept_[place][bank];
    if (std::find(wanted.begin(), wanted.begin() + place, number) == wanted.begin() + place) {
      auto& reads = kept == number ? found.kept : found.fetches;
      ++reads[bank];
      if ((form.pairs >> place & 1u) != 0) ++reads[1 - bank];
    }
    const bool stays = (high >> (58 + place) & 1) != 0;
    kept = stays ? number : kNone;
  }
  return found;
}

}  // namespace warpgrade::fatbin
