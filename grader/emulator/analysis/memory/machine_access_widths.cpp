#include "analysis/memory/machine_access_widths.hpp"

#include <algorithm>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "fatbin/cubin.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

enum class AccessKind : std::uint8_t { none, load, store };

AccessKind kind_of(const ptx::Instruction& instruction) {
  const bool load = instruction.opcode == Opcode::ld, store = instruction.opcode == Opcode::st;
  if (!load && !store) return AccessKind::none;
  if (!instruction.has(Modifier::shared) && !instruction.has(Modifier::shared_cta)) return AccessKind::none;
  return load ? AccessKind::load : AccessKind::store;
}

// nvcc removes blanks from the PTX in a fat binary and keeps its line breaks.
std::string without_blanks(std::string_view line) {
  std::string out;
  for (const char c : line)
    if (c != ' ' && c != '\t' && c != '\r') out += c;
  return out;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class Widths {
 public:
  Widths(const ptx::Function& function, const std::vector<std::string_view>& ptx, const fatbin::Cubin& cubin)
      : function_(function), ptx_(ptx), cubin_(cubin), found_(function.instructions.size()) {}

  // Matches machine instructions with PTX instructions; false if the two are not the same program.
  bool read(const fatbin::MachineFunction& machine) {
    std::unordered_map<int, std::size_t> at_line;
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      if (kind_of(function_.instructions[i]) != AccessKind::none)
        at_line[function_.instructions[i].place.line] = i;
    }
    for (const fatbin::MachineAccess& access : machine.accesses) {
      const auto named = at_line.find(access.ptx_line);
      if (named == at_line.end() || !same_text(access.ptx_line)) return false;
      const AccessKind kind = access.is_store ? AccessKind::store : AccessKind::load;
      if (kind_of(function_.instructions[named->second]) != kind) return false;
      LineAccesses& found = found_[named->second];
      found.mixed |= found.copies > 0 && found.bytes != access.bytes;
      found.bytes = access.bytes;
      ++found.copies;
    }
    return true;
  }

  // False if the widths of a block are ambiguous: see set_widths(BasicBlock).
  bool set_widths() {
    bool all = true;
    as_written_ = is_as_written();
    for (const BasicBlock& block : build_control_flow(function_).blocks) all &= set_widths(block);
    return all;
  }

  const std::vector<AccessWidth>& result() const { return result_; }

 private:
  struct LineAccesses {
    unsigned bytes = 0, copies = 0;  // machine instructions: bytes of one, and how many there are
    bool mixed = false;
  };

  bool same_text(int line) const {
    const auto i = static_cast<std::size_t>(line - 1);
    return i < ptx_.size() && i < cubin_.ptx.size() &&
           without_blanks(ptx_[i]) == without_blanks(cubin_.ptx[i]);
  }

  // Whether ptxas copied no block: each line has at most one access, and all together move what is written.
  // Accesses of neighbouring blocks may still be merged, where ptxas made predicates of the branches.
  bool is_as_written() const {
    unsigned machine = 0, written = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (kind_of(function_.instructions[i]) == AccessKind::none) continue;
      if (found_[i].copies > 1) return false;
      machine += found_[i].bytes * found_[i].copies;
      written += bytes_of_access(function_.instructions[i]);
    }
    return machine == written;
  }

  // ptxas may have unrolled a loop: it then copied the block and merged accesses of neighbouring iterations.
  // The number of iterations follows from the bytes, since all copies together move the bytes of all
  // iterations. A block whose copies have different widths (a loop and its remainder) keeps the widths of the
  // PTX.
  bool set_widths(const BasicBlock& block) {
    unsigned machine = 0, written = 0, iterations = 1;
    bool mixed = false;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      if (kind_of(function_.instructions[i]) == AccessKind::none) continue;
      machine += found_[i].bytes * found_[i].copies;
      written += bytes_of_access(function_.instructions[i]);
      iterations = std::max(iterations, found_[i].copies);
      mixed |= found_[i].mixed;
    }
    if (written == 0) return true;
    if (!as_written_) iterations = std::max(iterations, (machine + written - 1) / written);
    if (mixed || iterations > 255) return false;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      if (kind_of(function_.instructions[i]) == AccessKind::none) continue;
      result_[i] = {static_cast<std::uint8_t>(found_[i].bytes), static_cast<std::uint8_t>(found_[i].copies),
                    static_cast<std::uint8_t>(iterations)};
    }
    return as_written_ || iterations == 1 || machine == iterations * written;
  }

  const ptx::Function& function_;
  const std::vector<std::string_view>& ptx_;
  const fatbin::Cubin& cubin_;
  std::vector<LineAccesses> found_;
  bool as_written_ = false;
  std::vector<AccessWidth> result_ = std::vector<AccessWidth>(found_.size());
};

}  // namespace

unsigned bytes_of_access(const ptx::Instruction& instruction) {
  const int element = ptx::size_in_bytes(instruction.type());
  const int count = instruction.has(Modifier::v4) ? 4 : instruction.has(Modifier::v2) ? 2 : 1;
  return static_cast<unsigned>(element * count);
}

void Program::use_machine_widths(const fatbin::Cubin& machine, std::string_view ptx) {
  const std::vector<std::string_view> lines = split(ptx);
  impl_->access_widths.assign(impl_->origins.size(), {});
  impl_->widths_from.clear();
  for (const ptx::Function& function : impl_->module.functions) {
    const bool any =
        std::any_of(function.instructions.begin(), function.instructions.end(),
                    [](const ptx::Instruction& each) { return kind_of(each) != AccessKind::none; });
    impl_->widths_from.push_back(any ? MachineWidths::ptx : MachineWidths::cubin);
  }
  for (const fatbin::MachineFunction& each : machine.functions) {
    const auto named = impl_->functions.find(each.name);
    if (named == impl_->functions.end()) continue;
    const auto number = static_cast<std::size_t>(named->second);
    Widths widths(impl_->module.functions[number], lines, machine);
    if (!widths.read(each)) continue;
    impl_->widths_from[number] = widths.set_widths() ? MachineWidths::cubin : MachineWidths::cubin_in_part;
    std::copy(widths.result().begin(), widths.result().end(),
              impl_->access_widths.begin() + impl_->first_index[number]);
  }
}

MachineWidths Program::widths_from(const KernelInfo& kernel) const {
  if (impl_->widths_from.empty()) return MachineWidths::ptx;
  bool any = false, all = true;
  for (const std::int32_t f : impl_->reachable[static_cast<std::size_t>(kernel.function)]) {
    const MachineWidths from = impl_->widths_from[static_cast<std::size_t>(f)];
    any |= from != MachineWidths::ptx;
    all &= from == MachineWidths::cubin;
  }
  return all ? MachineWidths::cubin : any ? MachineWidths::cubin_in_part : MachineWidths::ptx;
}

}  // namespace warpgrade::emulator
