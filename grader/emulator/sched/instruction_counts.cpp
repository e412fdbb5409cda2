#include "sched/instruction_counts.hpp"

namespace warpgrade::emulator {

InstructionCounts make_counts(const Code& code) {
  InstructionCounts counts;
  counts.blocks.resize(code.counted.size());
  counts.guards.resize(code.guards.size());
  counts.divergent.resize(code.instructions.size());
  return counts;
}

static Metric metric_of(CounterClass counts) {
  return counts == CounterClass::ffma   ? Metric::ffma
         : counts == CounterClass::fadd ? Metric::fadd
         : counts == CounterClass::fmul ? Metric::fmul
                                        : Metric::doubles;
}

void add_counts(const Code& code, const InstructionCounts& counts, Counters& to) {
  for (std::size_t b = 0; b < code.counted.size(); ++b) {
    const CountedBlock& block = code.counted[b];
    const InstructionCounts::LaneCount& entry = counts.blocks[b];
    to.blocks[block.first] += entry.executions;
    to[Metric::warp_instructions] += entry.executions * block.warp_instructions;
    to[Metric::thread_instructions] += entry.lanes * block.warp_instructions;
    to[Metric::branches] += entry.executions * block.branches;
    to[Metric::barriers] += entry.executions * block.barriers;
    to[Metric::shuffles] += entry.executions * block.shuffles;
    to[Metric::matrix_products] += entry.executions * block.matrix_products;
    to[Metric::ffma] += entry.lanes * block.ffma;
    to[Metric::fadd] += entry.lanes * block.fadd;
    to[Metric::fmul] += entry.lanes * block.fmul;
    to[Metric::doubles] += entry.lanes * block.doubles;
    for (const std::uint32_t branch : block.choices) {
      to.sites[branch].executions += entry.executions;
      to.sites[branch].lanes += entry.lanes;
    }
  }
  for (std::size_t g = 0; g < code.guards.size(); ++g)
    to[metric_of(code.guards[g].counts)] += counts.guards[g];
  for (std::size_t position = 0; position < code.instructions.size(); ++position) {
    if (counts.divergent[position] == 0) continue;
    to[Metric::divergent_branches] += counts.divergent[position];
    to.sites[code.instructions[position].index].divergent += counts.divergent[position];
  }
}

}  // namespace warpgrade::emulator
