#include "analysis/memory/wide_loads.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/value_flow.hpp"
#include "analysis/flow/value_readers.hpp"
#include "analysis/memory/load_uses.hpp"
#include "analysis/memory/word_uses.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

constexpr int kWord = 4;  // bytes

int elements_of(const ptx::Instruction& i) {
  return i.has(Modifier::v2) ? 2 : i.has(Modifier::v4) ? 4 : i.has(Modifier::v8) ? 8 : 1;
}
int width_of(const ptx::Instruction& i) { return elements_of(i) * ptx::size_in_bytes(i.type()); }

bool is_strong_or_volatile(const ptx::Instruction& i) { return i.is_strong() || i.has(Modifier::volatile_); }

bool is_wide_load(const ptx::Instruction& i) {
  if (!is_in_global(i) || width_of(i) <= kWord) return false;
  return (i.opcode == Opcode::ld && is_strong_or_volatile(i)) ||
         (i.opcode == Opcode::atom && !i.has(Modifier::cas));
}

bool is_strong_store(const ptx::Instruction& i) {
  if (!is_in_global(i)) return false;
  return (i.opcode == Opcode::st && is_strong_or_volatile(i)) || i.has(Modifier::exch);
}

// Bits of an element that was loaded, as a register holds them.
struct LoadedBits {
  std::uint64_t mask = 0;  // of the element
  unsigned shift = 0;      // the register's bit 0 is this bit of the element
  bool exact = true;       // false: where the bits are in the register is not known
  int first_word = 0;      // the element's

  std::uint8_t words() const {
    const unsigned both = ((mask & 0xffffffffu) != 0 ? 1u : 0u) | (mask >> 32 != 0 ? 2u : 0u);
    return static_cast<std::uint8_t>(both << first_word);
  }
  LoadedBits from(unsigned bit) const {
    if (!exact || shift + bit >= 64) return *this;
    LoadedBits out = *this;
    out.shift += bit;
    out.mask &= ~std::uint64_t{0} << out.shift;
    return out;
  }
  LoadedBits only(std::uint64_t bits) const {
    LoadedBits out = *this;
    if (exact) out.mask &= bits << shift;
    return out;
  }
  LoadedBits mixed() const {
    LoadedBits out = *this;
    out.exact = false;
    return out;
  }
};

// Index of a register among those that the instruction's first operand lists.
unsigned place_of(std::int32_t value, const ptx::Instruction& i) {
  const std::vector<ptx::Operand>& all = i.operands[0].elements;
  const auto found = std::find_if(all.begin(), all.end(), [value](const ptx::Operand& each) {
    return each.kind == Kind::reg && each.reg == value;
  });
  return found == all.end() ? 0u : static_cast<unsigned>(found - all.begin());
}

std::uint64_t low_bits(int bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
}

std::optional<std::uint64_t> constant_of(const ptx::Instruction& i, std::size_t place) {
  if (i.operands.size() <= place || i.operands[place].kind != Kind::integer) return {};
  return i.operands[place].bits;
}

class WideLoadAnalysis {
 public:
  explicit WideLoadAnalysis(const ptx::Function& function)
      : function_(function), control_(build_control_flow(function)), values_(function) {}

  WideLoad uses_of(std::size_t load) {
    const ptx::Instruction& i = function_.instructions[load];
    const int bytes = ptx::size_in_bytes(i.type());
    found_ = {};
    seen_.clear();
    for (const std::int32_t value : values_.steps()[load].written)
      left_.push_back(
          {load,
           value,
           {.mask = low_bits(bytes), .first_word = static_cast<int>(place_of(value, i)) * bytes / kWord}});
    while (!left_.empty()) {
      const Held held = left_.back();
      left_.pop_back();
      const LoadedBits& bits = held.bits;
      if (!seen_.insert({held.writer, held.value, bits.mask, bits.shift, bits.exact}).second) continue;
      if ((spent_ += function_.instructions.size()) > kMostSteps) return {};
      for (const std::size_t reader : readers_behind(function_, control_, values_, held.writer, held.value))
        read(reader, held);
    }
    return found_;
  }

 private:
  static constexpr std::size_t kMostSteps = std::size_t{1} << 26;
  struct Held {
    std::size_t writer = 0;
    std::int32_t value = 0;
    LoadedBits bits;
  };

  void read(std::size_t reader, const Held& held) {
    const ptx::Instruction& i = function_.instructions[reader];
    if (tests(i)) return test(i, held.bits);
    if (computes_number(i)) return;
    for (const std::int32_t value : values_.steps()[reader].written)
      left_.push_back({reader, value, moved(reader, value, held.bits)});
  }

  // The loaded bits that a value of this instruction contains.
  LoadedBits moved(std::size_t at, std::int32_t value, const LoadedBits& bits) const {
    const ptx::Instruction& i = function_.instructions[at];
    const auto constant = constant_of(i, 2);
    const bool packs = i.operands.size() > 1 && i.operands[1].kind == Kind::vector;
    if (i.opcode == Opcode::mov && i.operands[0].kind == Kind::vector) {
      const int part = ptx::size_in_bytes(i.type()) / static_cast<int>(i.operands[0].elements.size());
      return bits.from(8u * static_cast<unsigned>(part) * place_of(value, i)).only(low_bits(part));
    }
    if (i.opcode == Opcode::cvt && values_.steps()[at].copies)
      return bits.only(low_bits(ptx::size_in_bytes(ptx::type_of(i.modifiers[0]))));
    if (values_.steps()[at].copies && !packs) return bits.only(low_bits(ptx::size_in_bytes(i.type())));
    if (i.opcode == Opcode::shr && constant) return bits.from(static_cast<unsigned>(*constant));
    if (i.opcode == Opcode::and_ && constant) return bits.only(*constant);
    return bits.mixed();
  }

  void test(const ptx::Instruction& i, const LoadedBits& bits) {
    const auto constant = constant_of(i, 2);
    if (i.opcode != Opcode::setp || !constant) {
      found_.tested |= bits.words();
      return;
    }
    // The low bits below such a bound are not tested: x > 0xffffffff says nothing about the lower word.
    unsigned open = 0;
    if (i.has_any({Modifier::gt, Modifier::hi, Modifier::le, Modifier::ls}))
      open = static_cast<unsigned>(std::countr_one(*constant));
    if (i.has_any({Modifier::ge, Modifier::hs, Modifier::lt, Modifier::lo}))
      open = static_cast<unsigned>(std::countr_zero(*constant));
    const std::uint8_t words = (open < 64 ? bits.from(open) : bits).words();
    found_.tested |= words;
    found_.is_tested_at_once |= std::popcount(words) > 1;
  }

  const ptx::Function& function_;
  const ControlFlow control_;
  const ValueFlow values_;
  WideLoad found_;
  std::vector<Held> left_;
  std::set<std::tuple<std::size_t, std::int32_t, std::uint64_t, unsigned, bool>> seen_;
  std::size_t spent_ = 0;  // steps of the analysis
};

}  // namespace

void add_wide_loads(const ptx::Function& function, std::uint32_t first, FlagLoads& to) {
  const auto& instructions = function.instructions;
  for (const ptx::Instruction& each : instructions)
    if (is_strong_store(each)) to.narrowest_store = std::min(to.narrowest_store, width_of(each));
  if (std::none_of(instructions.begin(), instructions.end(), is_wide_load)) return;
  WideLoadAnalysis analysis(function);
  const std::vector<std::uint8_t> uses = find_load_uses(function);
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (is_wide_load(instructions[i]) && (uses.empty() || !has(uses[i], LoadUse::validated))) {
      to.wide.emplace(first + static_cast<std::uint32_t>(i), analysis.uses_of(i));
      to.widest_load = std::max(to.widest_load, width_of(instructions[i]));
    }
}

}  // namespace warpgrade::emulator
