#include "sched/unset_registers.hpp"

#include "machine/kernel_code.hpp"
#include "machine/observers.hpp"
#include "machine/shadow_execution.hpp"

namespace warpgrade::emulator {

void follow_unset_registers(BlockRun& block) {
  constexpr std::uint64_t kBlocks = 2;  // tracking values is slow
  const std::vector<UnsetRegister>& unset = block.code->functions[0].unset;
  if (unset.empty() || !block.check_init || block.shadow == nullptr || block.linear >= kBlocks) return;
  if (!block.undefined) block.undefined = block.shadow->start(block);
  for (const Warp& warp : block.warp)
    for (const UnsetRegister& each : unset)
      block.undefined->begin(warp, each.slot, each.bytes, block.observers->unset_register(warp, each.reader));
}

}  // namespace warpgrade::emulator
