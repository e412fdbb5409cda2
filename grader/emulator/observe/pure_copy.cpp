#include "observe/pure_copy.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "exec/program.hpp"
#include "exec/registers_used.hpp"

namespace warpgrade::observe {
namespace {

bool holds(const std::vector<std::int32_t>& registers, std::int32_t wanted) {
  return std::find(registers.begin(), registers.end(), wanted) != registers.end();
}

bool is_value_of(const ptx::Instruction& store, std::int32_t wanted) {
  if (store.opcode != "st" || store.operands.size() < 2 || store.guard == wanted) return false;
  return !store.operands[0].has_reg || store.operands[0].reg != wanted;
}

bool is_exchange(const ptx::Instruction& i) {
  return i.opcode == "atom" && std::find(i.modifiers.begin(), i.modifiers.end(), "exch") != i.modifiers.end();
}

bool look(const exec::Program& program, std::uint32_t index) {
  const exec::Origin& origin = program.origin(index);
  if (origin.ptx == nullptr || origin.function < 0) return false;
  const bool exchanges = is_exchange(*origin.ptx);
  if (origin.ptx->opcode != "ld" && !exchanges) return false;
  const ptx::Function& function = program.module().functions[static_cast<std::size_t>(origin.function)];
  const std::vector<std::int32_t> loaded = exec::registers_used(*origin.ptx).written;
  for (const ptx::Instruction& each : function.instructions) {
    const std::vector<std::int32_t> read = exec::registers_used(each).read;
    for (const std::int32_t r : loaded)
      if (holds(read, r) && (exchanges || !is_value_of(each, r))) return false;
  }
  return true;
}

// Of one launch, on one worker.
struct Known {
  const exec::LaunchRequest* launch = nullptr;
  const exec::Program* program = nullptr;
  std::unordered_map<std::uint32_t, bool> answers;
};

}  // namespace

bool is_pure_copy(const Access& access) {
  thread_local Known known;
  const exec::Block& block = *access.warp->block;
  if (block.program == nullptr) return false;
  if (known.launch != block.launch || known.program != block.program)
    known = {block.launch, block.program, {}};
  const auto [answer, fresh] = known.answers.try_emplace(access.at->index);
  if (fresh) answer->second = look(*block.program, access.at->index);
  return answer->second;
}

}  // namespace warpgrade::observe
