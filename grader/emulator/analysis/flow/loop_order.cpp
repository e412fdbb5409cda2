#include "analysis/flow/loop_order.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "analysis/flow/def_use.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

// Finds the strongly connected components (Tarjan's algorithm without recursion), orders them topologically,
// and repeats this inside each component without the edges back to its header.
class Arranger {
 public:
  explicit Arranger(ControlFlow& flow)
      : flow_(flow),
        cut_(flow.blocks.size(), false),
        member_(flow.blocks.size(), 0),
        number_(flow.blocks.size(), 0),
        low_(flow.blocks.size(), 0),
        on_stack_(flow.blocks.size(), false) {}

  void run() {
    std::vector<std::uint32_t> all(flow_.blocks.size());
    for (std::uint32_t b = 0; b < all.size(); ++b) all[b] = b;
    arrange(all, -1, 0);
  }

 private:
  using Nodes = std::vector<std::uint32_t>;
  static constexpr int kDeepest = 200;  // blocks of loops nested deeper keep the order of the text

  bool inside(std::uint32_t to, std::uint32_t region) const { return member_[to] == region && !cut_[to]; }

  void arrange(const Nodes& nodes, std::int32_t loop, int depth) {
    const std::uint32_t region = ++regions_;
    for (std::uint32_t node : nodes) member_[node] = region, number_[node] = 0;
    std::vector<Nodes> components = split(nodes, region);
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
      place(*component, region, loop, depth);
    }
  }

  void place(Nodes& component, std::uint32_t region, std::int32_t loop, int depth) {
    const std::uint32_t only = component.front();
    const Nodes& out = flow_.blocks[only].successors;
    const bool turns = inside(only, region) && std::find(out.begin(), out.end(), only) != out.end();
    if (component.size() == 1 && !turns) {
      flow_.blocks[only].loop = loop;
      flow_.blocks[only].order = next_++;
      return;
    }
    std::sort(component.begin(), component.end());
    const std::uint32_t header = find_header(component);
    const auto inner = static_cast<std::int32_t>(flow_.loops.size());
    flow_.loops.push_back({header, loop, size_of(component)});
    if (depth >= kDeepest) {
      for (std::uint32_t node : component)
        flow_.blocks[node].loop = inner, flow_.blocks[node].order = next_++;
      return;
    }
    cut_[header] = true;
    flow_.blocks[header].loop = inner;
    flow_.blocks[header].order = next_++;
    component.erase(std::find(component.begin(), component.end(), header));
    arrange(component, inner, depth + 1);
  }

  std::uint32_t size_of(const Nodes& component) const {
    std::uint32_t sum = 0;
    for (std::uint32_t node : component) sum += flow_.blocks[node].end - flow_.blocks[node].first;
    return sum;
  }

  // The header: the first block in the text that has a predecessor outside of the component.
  std::uint32_t find_header(const Nodes& component) const {
    for (std::uint32_t node : component) {
      if (node == 0) return node;
      for (std::uint32_t from : flow_.blocks[node].predecessors) {
        if (!std::binary_search(component.begin(), component.end(), from)) return node;
      }
    }
    return component.front();
  }

  // Components in reverse topological order. Successors are visited last to first, so that independent
  // components keep the order of the text.
  std::vector<Nodes> split(const Nodes& nodes, std::uint32_t region) {
    std::vector<Nodes> components;
    std::uint32_t count = 0;
    for (auto root = nodes.rbegin(); root != nodes.rend(); ++root) {
      if (number_[*root] == 0) visit(*root, region, count, components);
    }
    return components;
  }

  struct Visit {
    std::uint32_t node;
    std::size_t left;  // successors not yet visited
  };

  void visit(std::uint32_t root, std::uint32_t region, std::uint32_t& count, std::vector<Nodes>& components) {
    std::vector<Visit> path;
    auto open = [&](std::uint32_t node) {
      number_[node] = low_[node] = ++count;
      stack_.push_back(node);
      on_stack_[node] = true;
      path.push_back({node, flow_.blocks[node].successors.size()});
    };
    open(root);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().left > 0) {
        const std::uint32_t to = flow_.blocks[node].successors[--path.back().left];
        if (!inside(to, region)) continue;
        if (number_[to] == 0)
          open(to);
        else if (on_stack_[to])
          low_[node] = std::min(low_[node], number_[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low_[path.back().node] = std::min(low_[path.back().node], low_[node]);
      if (low_[node] == number_[node]) components.push_back(pop_component(node));
    }
  }

  Nodes pop_component(std::uint32_t root) {
    Nodes component;
    std::uint32_t node = 0;
    do {
      node = stack_.back();
      stack_.pop_back();
      on_stack_[node] = false;
      component.push_back(node);
    } while (node != root);
    return component;
  }

  ControlFlow& flow_;
  std::vector<bool> cut_;              // headers of the enclosing loops: edges to them are ignored
  std::vector<std::uint32_t> member_;  // indexed by block: its region
  std::vector<std::uint32_t> number_, low_;
  std::vector<bool> on_stack_;
  Nodes stack_;
  std::uint32_t regions_ = 0;
  std::uint32_t next_ = 0;
};

// Loads a result of one of these calls.
bool is_result(const ptx::Instruction& load, const std::unordered_set<std::string>& results) {
  return load.opcode == Opcode::ld && load.operands.size() > 1 && results.contains(load.operands[1].symbol);
}

bool is_of_shared(const ptx::Instruction& instruction, Opcode opcode) {
  return instruction.opcode == opcode && instruction.has(Modifier::shared);
}

bool has_fence_or_sleep(const ptx::Function& function) {
  return std::any_of(
      function.instructions.begin(), function.instructions.end(), [](const ptx::Instruction& instruction) {
        return isa::is(instruction, isa::Attribute::fence) || instruction.opcode == Opcode::nanosleep;
      });
}

// Registers that depend on a value that another thread may change, through registers or shared memory.
std::vector<bool> find_foreign_registers(const ptx::Function& function, const CallCheck& waits) {
  const bool has_fence = has_fence_or_sleep(function);
  std::vector<bool> foreign(function.registers.size(), false);
  std::vector<RegistersUsed> carriers;  // instructions that compute registers from registers
  std::vector<RegistersUsed> shared_stores, shared_loads;
  std::unordered_set<std::string> results;
  auto mark = [&](const RegistersUsed& used) {
    bool changed = false;
    for (std::int32_t r : used.written) {
      if (!foreign[static_cast<std::size_t>(r)]) changed = foreign[static_cast<std::size_t>(r)] = true;
    }
    return changed;
  };
  for (const ptx::Instruction& instruction : function.instructions) {
    RegistersUsed used = registers_used(instruction);
    if (waits && instruction.opcode == Opcode::call && waits(instruction))
      for (const ptx::Operand& result : instruction.operands.front().elements) results.insert(result.symbol);
    if (reads_foreign_state(instruction, has_fence) || is_result(instruction, results))
      mark(used);
    else if (is_of_shared(instruction, Opcode::st))
      shared_stores.push_back(std::move(used));
    else if (is_of_shared(instruction, Opcode::ld))
      shared_loads.push_back(std::move(used));
    else if (instruction.opcode != Opcode::ld && !used.written.empty())
      carriers.push_back(std::move(used));
  }
  const auto reads_foreign = [&](const RegistersUsed& used) {
    return std::any_of(used.read.begin(), used.read.end(),
                       [&](std::int32_t r) { return foreign[static_cast<std::size_t>(r)]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const RegistersUsed& used : carriers)
      if (reads_foreign(used)) changed |= mark(used);
    if (std::any_of(shared_stores.begin(), shared_stores.end(), reads_foreign))
      for (const RegistersUsed& used : shared_loads) changed |= mark(used);
  }
  return foreign;
}

}  // namespace

bool reads_foreign_state(const ptx::Instruction& instruction, bool has_fence) {
  if (instruction.opcode == Opcode::atom || instruction.opcode == Opcode::mbarrier) return true;
  if (instruction.opcode != Opcode::ld) return false;
  if (instruction.is_strong()) return true;
  return has_fence && !instruction.has(Modifier::param) && !instruction.has(Modifier::local) &&
         !instruction.has(Modifier::const_);
}

void order_blocks(ControlFlow& flow) { Arranger(flow).run(); }

void find_waiting_loops(const ptx::Function& function, ControlFlow& flow, const CallCheck& waits) {
  if (flow.loops.empty()) return;
  const std::vector<bool> foreign = find_foreign_registers(function, waits);
  for (const BasicBlock& block : flow.blocks) {
    const ptx::Instruction& last = function.instructions[block.end - 1];
    if (last.guard < 0 || !foreign[static_cast<std::size_t>(last.guard)]) continue;
    for (std::int32_t l = block.loop; l >= 0; l = flow.loops[static_cast<std::size_t>(l)].parent) {
      flow.loops[static_cast<std::size_t>(l)].waits = true;
    }
  }
}

}  // namespace warpgrade::emulator
