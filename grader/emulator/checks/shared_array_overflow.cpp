#include "checks/shared_array_overflow.hpp"

#include <bit>

#include "findings/fault.hpp"
#include "machine/block_checks.hpp"

namespace warpgrade::emulator {
namespace {

bool fits(const SharedArrayBounds& array, std::uint64_t first, std::uint64_t bytes) {
  return first >= array.begin && first + bytes <= array.end;
}

bool all_fit(const Access& access, const SharedArrayBounds& array) {
  bool good = true;
  if (access.known()) {
    for (int half = 0; half < 2; ++half)
      good &= fits(array, access.first[half],
                   access.half[half] == Access::LanePattern::packed ? 16u * access.bytes : access.bytes);
    return good;
  }
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
    good &= fits(array, access.of(static_cast<unsigned>(std::countr_zero(left))), access.bytes);
  return good;
}

}  // namespace

void check_shared_array_overflow(const Access& access, const std::vector<SharedArrayBounds>& bounds) {
  if (access.at->index >= bounds.size()) return;
  const SharedArrayBounds& array = bounds[access.at->index];
  if (array.end == 0 || all_fit(access, array)) return;
  const bool write = access.kind != Access::Kind::read;
  BlockChecks& to = checks_of(*access.warp->block);
  if (to.again(write ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read,
               access.at->index) != nullptr ||
      to.full())
    return;
  Fault fault;
  fault.at = access.at;
  fault.warp = access.warp;
  fault.lanes = 0;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.of(static_cast<unsigned>(lane));
    if (fits(array, address, access.bytes)) continue;
    if (fault.lanes++ != 0) continue;
    fault.lane = lane;
    fault.address = address;
  }
  fault.space = ptx::Space::shared;
  fault.bytes = access.bytes;
  fault.kind = access.kind;
  to.add(explain_neighbour(fault, array.begin, array.end));
}

}  // namespace warpgrade::emulator
