#include "launch/start_order.hpp"

#include <algorithm>

#include "launch/validate.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

StartOrder start_order(const LaunchRequest& request, const Code& code, const DeviceLimits& limits,
                       bool in_turns) {
  constexpr std::uint64_t kMostInTurns = 64;
  const std::uint64_t most = std::max<std::uint64_t>(resident_blocks(request, limits), 1);
  if (!in_turns) return {1, most, false};
  Program::Impl& program = request.kernel->program->impl();
  const std::lock_guard lock(program.mutex);
  if (!code.polls_memory || request.cooperative || program.needs_company.contains(request.kernel))
    return {std::min(kMostInTurns, most), most, false};
  const std::uint64_t all_but_one = std::max<std::uint64_t>(request.grid.count() - 1, 1);
  return {std::min({kMostInTurns, most, all_but_one}), std::min(most, all_but_one), true};
}

}  // namespace warpgrade::emulator
