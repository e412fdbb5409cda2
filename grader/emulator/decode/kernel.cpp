#include "decode/kernel.hpp"

#include <algorithm>

#include "analysis/memory/flag_loads.hpp"
#include "analysis/memory/shared_array_bounds.hpp"
#include "analysis/memory/wide_loads.hpp"
#include "analysis/memory/written_globals.hpp"
#include "analysis/synchronization/block_order_dependence.hpp"
#include "analysis/synchronization/synchronization_used.hpp"
#include "decode/function.hpp"
#include "isa/attribute.hpp"
#include "ops/alloca.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

// Local memory for the deepest chain of calls. Recursion adds a fixed amount.
class StackDepth {
 public:
  explicit StackDepth(const Code& code) : code_(code) {
    for (std::size_t f = 0; f < code.functions.size(); ++f) index_[code.functions[f].source->name] = f;
    deepest_.assign(code.functions.size(), kUnknown);
  }

  std::uint32_t run() {
    const std::uint32_t plain = of(0);
    return recursive_ ? plain + kRecursion : plain;
  }

 private:
  static constexpr std::uint32_t kUnknown = ~0u, kBusy = ~1u;
  static constexpr std::uint32_t kRecursion = 32 * 1024;

  std::uint32_t of(std::size_t f) {
    if (deepest_[f] == kBusy) recursive_ = true;
    if (deepest_[f] == kBusy) return 0;
    if (deepest_[f] != kUnknown) return deepest_[f];
    deepest_[f] = kBusy;
    std::uint32_t below = 0;
    for (const ptx::Instruction& instruction : code_.functions[f].source->instructions) {
      if (instruction.opcode != Opcode::call) continue;
      const std::string name = called_name(instruction);
      if (auto callee = index_.find(name); callee != index_.end())
        below = std::max(below, of(callee->second));
      if (!name.empty()) continue;
      for (std::size_t any = 1; any < code_.functions.size(); ++any) below = std::max(below, of(any));
    }
    return deepest_[f] = below + code_.functions[f].local_bytes;
  }

  const Code& code_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::uint32_t> deepest_;
  bool recursive_ = false;
};

void resolve(KernelDecoding& decoding) {
  Code& code = decoding.code;
  for (const KernelDecoding::Fixup& fixup : decoding.fixups) {
    code.instructions[fixup.position].immediate =
        reinterpret_cast<std::uint64_t>(code.instructions.data() + fixup.target);
  }
  for (JumpTable& table : code.tables) {
    for (std::uint32_t index : table.index) table.target.push_back(code.instructions.data() + index);
  }
}

// Fills in Code::acts.
std::vector<bool> find_acts(const Program& program, const Code& code) {
  std::vector<bool> acts(code.instructions.size(), false);
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const ptx::Instruction* from = program.origin(code.instructions[i].index).ptx;
    acts[i] = from != nullptr && from->opcode != ptx::Opcode::atom && !isa::is_within_warp(*from) &&
              !isa::is(*from, isa::Attribute::repeatable);
  }
  return acts;
}

}  // namespace

std::unique_ptr<Code> decode_kernel(Program::Impl& program, const KernelInfo& kernel, CodeVariant variant) {
  auto code = std::make_unique<Code>();
  code->kernel = &kernel;
  KernelDecoding decoding{program, kernel, variant, *code, {}, {}};
  const std::vector<std::int32_t>& reachable = program.reachable[static_cast<std::size_t>(kernel.function)];
  code->functions.resize(reachable.size());
  for (std::size_t f = 0; f < reachable.size(); ++f) {
    code->functions[f].source = &program.module.functions[static_cast<std::size_t>(reachable[f])];
    decoding.function_index[code->functions[f].source->name] = static_cast<std::int32_t>(f);
    code->by_address[function_address(reachable[f])] = static_cast<std::int32_t>(f);
  }
  for (CodeFunction& function : code->functions) FunctionDecoder(decoding, function).run();
  resolve(decoding);
  code->acts = find_acts(*program.program, *code);
  code->stack_bytes = StackDepth(*code).run();
  const bool grows = std::any_of(code->functions.begin(), code->functions.end(),
                                 [](const CodeFunction& function) { return uses_alloca(*function.source); });
  code->local_bytes = code->stack_bytes + (grows ? kAllocaBytes : 0);
  code->depends_on_block_order = depends_on_block_order(*code);
  if (!variant.observed) return code;
  code->shared_array_bounds = find_shared_array_bounds(*program.program, kernel, *code);
  for (std::size_t f = 0; f < reachable.size(); ++f) {
    const ptx::Function& function = *code->functions[f].source;
    add_race_needs(function, code->race_needs);
    const std::uint32_t first = program.first_index[static_cast<std::size_t>(reachable[f])];
    add_flag_loads(function, first, code->flag_loads);
    add_wide_loads(function, first, code->flag_loads);
  }
  code->written = find_written_globals(*code);
  return code;
}

}  // namespace warpgrade::emulator
