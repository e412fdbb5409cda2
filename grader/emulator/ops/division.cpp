#include "ops/division.hpp"

#include <cstdint>
#include <utility>

#include "machine/observers.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kDivisor = 2;  // its place among the operands

template <class T>
std::uint32_t zeros(const T* divisor) {
  bool any = false;
  for (int lane = 0; lane < kWarpSize; ++lane) any |= divisor[lane] == 0;
  if (!any) return 0;
  std::uint32_t found = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) found |= (divisor[lane] == 0 ? 1u : 0u) << lane;
  return found;
}

void report_zeros(Warp& warp, const DecodedInstruction* at, std::uint32_t lanes) {
  if (!state_of(warp).run->check_init) return;
  const std::uint32_t active = std::exchange(warp.active, lanes);
  Finding finding =
      finding_at(warp, at, FindingKind::division_by_zero,
                 "An integer is divided by 0: a GPU gives a number without meaning, and no error.");
  finding.site.access = "divides";
  warp.block->observers->report(*warp.block, std::move(finding));
  warp.active = active;
}

template <class T>
const DecodedInstruction* check_divisor(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t lanes = zeros(warp.lanes<T>(at->operand[0])) & warp.active;
  if (lanes != 0) report_zeros(warp, at, lanes);
  return at + 1;
}

Handler check_of_type(ptx::Type type) {
  switch (ptx::size_in_bytes(type)) {
    case 2:
      return check_divisor<std::uint16_t>;
    case 4:
      return check_divisor<std::uint32_t>;
    default:
      return check_divisor<std::uint64_t>;
  }
}

}  // namespace

bool decode_divisor_check(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  const bool divides = from.opcode == ptx::Opcode::div || from.opcode == ptx::Opcode::rem;
  if (!divides || !ptx::is_integer(from.type()) || from.operands.size() <= kDivisor) return false;
  const ptx::Operand& divisor = from.operands[kDivisor];
  if (divisor.kind == ptx::Operand::Kind::integer && divisor.bits != 0) return false;
  to.handler = check_of_type(from.type());
  to.operand[0] = context.slot(divisor, from.type());
  return true;
}

bool is_divisor_check(Handler handler) {
  return handler == check_divisor<std::uint16_t> || handler == check_divisor<std::uint32_t> ||
         handler == check_divisor<std::uint64_t>;
}

}  // namespace warpgrade::emulator
