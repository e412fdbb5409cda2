#include "analysis/memory/load_uses.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/flow/value_flow.hpp"
#include "isa/attribute.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

bool is_swap(const ptx::Instruction& i) { return i.opcode == Opcode::atom && i.has(Modifier::cas); }

bool is_interesting(const ptx::Instruction& i) {
  return i.opcode == Opcode::atom || (i.opcode == Opcode::ld && i.has(Modifier::volatile_));
}

// Floating-point values are not flags: what is passed on through shared memory and shuffles are partial sums.
bool loads_float(const ptx::Instruction& i) { return i.opcode == Opcode::ld && ptx::is_float(i.type()); }

// Operand indices of atom.cas: address, expected value, new value. kPlace is also the address of a load.
constexpr std::size_t kPlace = 1, kOld = 2, kNew = 3;

bool has_place(const ptx::Instruction& i, std::size_t at) {
  return i.operands.size() > at && i.operands[at].kind == Kind::address && i.operands[at].elements.empty();
}

class LoadUseAnalysis {
 public:
  explicit LoadUseAnalysis(const ptx::Function& function)
      : function_(function), flow_(function), uses_(size()) {}

  std::vector<std::uint8_t> run() {
    const std::vector<bool> decides = find_deciding(true), decides_here = find_deciding(false);
    for (std::size_t i = 0; i < size(); ++i) {
      const ptx::Instruction& each = function_.instructions[i];
      const auto& written = flow_.steps()[i].written;
      const std::vector<bool>& those = loads_float(each) || becomes_float(i) ? decides_here : decides;
      if (std::any_of(written.begin(), written.end(), [&](std::int32_t value) { return those[at(value)]; }))
        add(i, LoadUse::control_relevant);
      if (takes_by_exchange(i)) add(i, LoadUse::takes_lock);
      if (is_swap(each) && each.operands.size() > kNew) look_at_swap(i);
    }
    return std::move(uses_);
  }

 private:
  static std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }
  std::size_t size() const { return function_.instructions.size(); }
  void add(std::size_t i, LoadUse use) { uses_[i] |= static_cast<std::uint8_t>(use); }

  // Whether a load returns the bits of a floating-point number, which nothing uses as an integer.
  bool becomes_float(std::size_t load) const {
    if (function_.instructions[load].opcode != Opcode::ld) return false;
    bool found = false;
    std::vector<std::int32_t> left = flow_.steps()[load].written;
    std::set<std::int32_t> seen(left.begin(), left.end());
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      for (const std::size_t i : flow_.readers(value)) {
        const ptx::Instruction& reader = function_.instructions[i];
        const bool copies = flow_.steps()[i].copies && !ptx::is_float(reader.type());
        if (!copies && !ptx::is_float(reader.type())) return false;
        for (const std::int32_t to : flow_.steps()[i].written)
          if (!copies || holds_float(to))
            found = true;
          else if (seen.insert(to).second)
            left.push_back(to);
      }
    }
    return found;
  }
  bool holds_float(std::int32_t value) const {
    return at(value) < function_.registers.size() && ptx::is_float(function_.registers[at(value)].type);
  }

  // In -G builds addresses are generic. An address computed from kernel parameters and no other pointer is
  // taken for a global one.
  bool is_in_global(const ptx::Instruction& i) const {
    if (i.has(Modifier::global)) return true;
    const std::size_t place = i.opcode == Opcode::st ? 0 : kPlace;
    if (i.has(Modifier::shared) || i.has(Modifier::local) || !has_place(i, place)) return false;
    if (!function_.is_entry || !i.operands[place].has_reg) return false;
    std::set<std::int32_t> seen = {i.operands[place].reg};
    std::vector<std::int32_t> left = {i.operands[place].reg};
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      if (flow_.writers(value).empty()) return false;
      for (const std::size_t writer : flow_.writers(value)) {
        const ptx::Instruction& from = function_.instructions[writer];
        if (from.opcode == Opcode::ld && from.has(Modifier::param)) continue;
        if (from.opcode == Opcode::cvta && from.has(Modifier::global))
          continue;  // the address of a module variable
        if (!computes_address(from)) return false;
        for (const std::int32_t read : flow_.steps()[writer].read)
          if (is_pointer(read) && seen.insert(read).second) left.push_back(read);
      }
    }
    return true;
  }
  static bool computes_address(const ptx::Instruction& i) {
    const Opcode op = i.opcode;
    if (op != Opcode::mov && op != Opcode::add && op != Opcode::sub && op != Opcode::mad &&
        op != Opcode::mul && op != Opcode::shl && op != Opcode::cvt && op != Opcode::cvta)
      return false;
    return !i.has(Modifier::shared) && !i.has(Modifier::local) &&
           std::none_of(i.operands.begin(), i.operands.end(),
                        [](const auto& each) { return each.kind == Kind::symbol; });
  }
  bool is_pointer(std::int32_t value) const {
    return at(value) >= function_.registers.size() ||
           ptx::size_in_bytes(function_.registers[at(value)].type) == 8;
  }

  // The values of this instruction on which control flow or an address depends; with `handed_on`, also the
  // values that it passes to other threads.
  std::vector<std::int32_t> ends(std::size_t index, bool handed_on) const {
    const ptx::Instruction& i = function_.instructions[index];
    const Opcode op = i.opcode;
    std::vector<std::int32_t> out;
    if (i.guard >= 0) out.push_back(i.guard);
    const bool in_global = is_in_global(i);
    const bool branches = isa::is(i, isa::Attribute::branch);
    const bool hands_on = (op == Opcode::st && !in_global && !flow_.steps()[index].copies) || branches ||
                          op == Opcode::call || op == Opcode::ret ||
                          (isa::is(i, isa::Attribute::atomic) && !in_global) || op == Opcode::vote ||
                          op == Opcode::match;
    if (hands_on && (handed_on || branches)) return flow_.steps()[index].read;
    for (const ptx::Operand& operand : i.operands)
      if (operand.kind == Kind::address && operand.has_reg && operand.reg >= 0) out.push_back(operand.reg);
    return out;
  }

  std::vector<bool> find_deciding(bool handed_on) const {
    std::vector<bool> decides(flow_.values());
    std::vector<std::int32_t> left;
    const auto reach = [&](std::int32_t value) {
      if (decides[at(value)]) return;
      decides[at(value)] = true;
      left.push_back(value);
    };
    for (std::size_t i = 0; i < size(); ++i)
      for (const std::int32_t value : ends(i, handed_on)) reach(value);
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      for (const std::size_t i : flow_.writers(value))
        for (const std::int32_t read : flow_.steps()[i].read) reach(read);
    }
    return decides;
  }

  // An address as a register or symbol plus a constant offset.
  struct Word {
    std::int32_t reg = -1;
    std::string symbol;
    std::int64_t offset = 0;
  };
  bool is_same(const Word& one, const Word& other) const {
    return one.symbol == other.symbol && one.offset == other.offset && is_same(one.reg, other.reg);
  }
  // The register with the generic address that this one was converted from, as a kernel's pointers to global
  // memory are; inline assembly takes them as they are.
  std::int32_t generic(std::int32_t reg) const {
    for (int steps = 0; reg >= 0 && steps < 8 && flow_.writers(reg).size() == 1; ++steps) {
      const ptx::Instruction& writer = function_.instructions[flow_.writers(reg)[0]];
      if (writer.opcode != Opcode::cvta || writer.guard >= 0 || writer.operands.size() != 2 ||
          writer.operands[1].kind != Kind::reg)
        break;
      reg = writer.operands[1].reg;
    }
    return reg;
  }
  // -G builds recompute the address for each access from variables on the stack, so equal addresses are in
  // different registers.
  bool is_same(std::int32_t one, std::int32_t other, int steps = 8) const {
    one = generic(one), other = generic(other);
    if (one == other) return true;
    if (one < 0 || other < 0 || steps == 0) return false;
    if (flow_.writers(one).size() != 1 || flow_.writers(other).size() != 1) return false;
    const std::size_t first = flow_.writers(one)[0], second = flow_.writers(other)[0];
    const ptx::Instruction &x = function_.instructions[first], &y = function_.instructions[second];
    if (x.guard >= 0 || y.guard >= 0 || x.form() != y.form()) return false;
    if (x.operands.size() != y.operands.size() || !is_recomputable(x)) return false;
    if (flow_.steps()[first].copies && x.opcode == Opcode::ld)
      return flow_.steps()[second].copies &&
             flow_.steps()[first].read.back() == flow_.steps()[second].read.back();
    for (std::size_t i = 1; i < x.operands.size(); ++i)
      if (!is_same(x.operands[i], y.operands[i], steps - 1)) return false;
    return true;
  }
  bool is_same(const ptx::Operand& one, const ptx::Operand& other, int steps) const {
    if (one.kind != other.kind || one.offset != other.offset || one.symbol != other.symbol) return false;
    if (one.kind == Kind::integer) return one.bits == other.bits;
    if (one.kind == Kind::symbol || one.kind == Kind::special) return true;
    if (one.kind == Kind::address && !one.has_reg && !other.has_reg) return true;
    const bool one_register = one.kind == Kind::reg || (one.kind == Kind::address && one.elements.empty());
    return one_register && one.has_reg == other.has_reg && is_same(one.reg, other.reg, steps);
  }
  static bool is_recomputable(const ptx::Instruction& i) {
    using enum Opcode;
    static const auto& kComputes =
        *new const std::set<Opcode>{mov, add, sub, mul, mad, div, rem, shl, shr, and_, or_, xor_, cvt, cvta};
    if (i.opcode == Opcode::ld) return !i.has(Modifier::volatile_) && has_place(i, kPlace);
    return kComputes.contains(i.opcode) &&
           std::none_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& each) {
             return each.symbol.starts_with("%clock") || each.symbol.starts_with("%globaltimer");
           });
  }
  Word word(const ptx::Operand& place) const {
    return word({place.has_reg ? place.reg : -1, place.symbol, place.offset});
  }
  Word word(Word out) const {
    for (int steps = 0; out.reg >= 0 && steps < 8 && flow_.writers(out.reg).size() == 1; ++steps) {
      const std::size_t index = flow_.writers(out.reg)[0];
      const ptx::Instruction& writer = function_.instructions[index];
      const auto& operands = writer.operands;
      const bool adds =
          writer.opcode == Opcode::add && operands.size() == 3 && operands[2].kind == Kind::integer;
      const bool moves =
          operands.size() == 2 && (writer.opcode == Opcode::mov || writer.opcode == Opcode::cvta ||
                                   (writer.opcode == Opcode::cvt && writer.has(Modifier::u64)));
      const bool carried = flow_.steps()[index].copies && !moves;  // through a variable
      if (writer.guard >= 0 || (!adds && !moves && !carried)) break;
      if (carried && writer.opcode == Opcode::ld) {
        out.reg = flow_.steps()[index].read.back();
        continue;
      }
      if (operands[1].kind != Kind::reg && operands[1].kind != Kind::symbol) break;
      out.offset += adds ? static_cast<std::int64_t>(operands[2].bits) : operands[1].offset;
      out.reg = operands[1].kind == Kind::reg ? operands[1].reg : -1;
      out.symbol = operands[1].symbol;
    }
    return out;
  }

  std::optional<std::uint64_t> constant(const ptx::Operand& operand) const {
    if (operand.kind == Kind::integer) return operand.bits;
    if (operand.kind != Kind::reg || flow_.writers(operand.reg).size() != 1) return {};
    const ptx::Instruction& writer = function_.instructions[flow_.writers(operand.reg)[0]];
    if (writer.opcode != Opcode::mov || writer.operands.size() != 2 ||
        writer.operands[1].kind != Kind::integer)
      return {};
    return writer.operands[1].bits;
  }

  static bool acquires(const ptx::Instruction& i) {
    return i.has(Modifier::acquire) || i.has(Modifier::acq_rel);
  }

  // An exchange for a constant whose old value decides what comes next.
  bool takes_by_exchange(std::size_t index) const {
    const ptx::Instruction& i = function_.instructions[index];
    return i.opcode == Opcode::atom && i.has(Modifier::exch) && i.operands.size() > kOld &&
           constant(i.operands[kOld]) && !acquires(i) && has(uses_[index], LoadUse::control_relevant);
  }

  void look_at_swap(std::size_t index) {
    const ptx::Instruction& swap = function_.instructions[index];
    const auto old = constant(swap.operands[kOld]), now = constant(swap.operands[kNew]);
    if (old && now && *old != *now && !acquires(swap)) add(index, LoadUse::takes_lock);
    if (has_place(swap, kPlace) && swap.operands[kOld].kind == Kind::reg)
      find_verified(word(swap.operands[kPlace]), swap.operands[kOld].reg);
  }

  // Marks the loads of this word whose value reaches the expected value `old` of a compare-and-swap.
  void find_verified(const Word& place, std::int32_t old) {
    std::set<std::int32_t> seen = {old};
    std::vector<std::int32_t> left = {old};
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      for (const std::size_t i : flow_.writers(value)) {
        const ptx::Instruction& from = function_.instructions[i];
        if (from.opcode == Opcode::ld && has_place(from, kPlace) &&
            is_same(word(from.operands[kPlace]), place))
          add(i, LoadUse::validated);
        if (!flow_.steps()[i].copies) continue;
        for (const std::int32_t read : flow_.steps()[i].read)
          if (seen.insert(read).second) left.push_back(read);
      }
    }
  }

  const ptx::Function& function_;
  const ValueFlow flow_;
  std::vector<std::uint8_t> uses_;  // indexed by instruction
};

}  // namespace

std::vector<std::uint8_t> find_load_uses(const ptx::Function& function) {
  if (std::none_of(function.instructions.begin(), function.instructions.end(), is_interesting)) return {};
  return LoadUseAnalysis(function).run();
}

}  // namespace warpgrade::emulator
