// Built once for each vector width; calls nothing inline that others call.
#include "profile/lanes/bank_conflicts.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {

unsigned conflicts(const std::uint64_t* address, unsigned shift, std::uint32_t mask) {
  constexpr int kLanes = kWarpSize;
  const std::uint32_t banks = static_cast<std::uint32_t>(kBankRowBytes) >> shift;
  const std::uint64_t spare =
      address[__builtin_ctz(mask)];  // inactive lanes get the first active lane's address
  const std::uint64_t first = spare / kBankRowBytes;
  std::uint64_t own[kLanes], row[kLanes], far = 0;
  std::uint32_t bank[kLanes], used = 0;
  for (int i = 0; i < kLanes; ++i) own[i] = (mask >> i & 1u) != 0 ? address[i] : spare;
  for (int i = 0; i < kLanes; ++i) {
    bank[i] = static_cast<std::uint32_t>(own[i] >> shift) & (banks - 1);
    used |= 1u << bank[i];
  }
  if (__builtin_popcount(used) == __builtin_popcount(mask)) return 1;  // every lane has a bank of its own
  // For each bank, a bit for each row in use: bit 32 is the first lane's row, because others may lie below
  // it.
  for (int i = 0; i < kLanes; ++i) {
    row[i] = own[i] / kBankRowBytes - first + 32;
    far |= row[i];
  }
  if (far >= 64) return 0;
  std::uint64_t rows[kLanes] = {};
  for (int i = 0; i < kLanes; ++i) rows[bank[i]] |= std::uint64_t{1} << row[i];
  unsigned most = 0;
  for (const std::uint64_t each : rows) {
    const auto count = static_cast<unsigned>(__builtin_popcountll(each));
    most = count > most ? count : most;
  }
  return most;
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
