#include "analysis/memory/struct_copies.hpp"

#include <algorithm>

#include "analysis/flow/reaching_definitions.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

// A 4-byte access without a space: only unoptimised code copies structures like this.
bool is_word(const ptx::Instruction& i, Opcode opcode) {
  return i.opcode == opcode && i.guard < 0 && i.modifiers.size() == 1 && i.operands.size() == 2 &&
         ptx::size_in_bytes(ptx::type_of(i.modifiers[0])) == 4;
}

class StructCopySearch : ReachingDefinitions {
 public:
  StructCopySearch(const ptx::Function& function, std::size_t store)
      : ReachingDefinitions(function), store_(store) {}

  std::optional<AdjacentWord> beside(std::int64_t distance) const {
    const auto copy = copy_at(store_);
    if (!copy) return {};
    const auto [first, end] = block();
    for (std::size_t i = first; i < end; ++i) {
      const auto other = i == store_ ? std::nullopt : copy_at(i);
      if (!other || !lies_at(other->from, copy->from, distance) || !lies_at(other->to, copy->to, distance))
        continue;
      const auto [one, last] = std::minmax(other->load, copy->load);
      const auto stores = [](const ptx::Instruction& each) { return each.opcode == Opcode::st; };
      const auto at = [&](std::size_t n) { return body_.begin() + static_cast<std::ptrdiff_t>(n); };
      if (std::none_of(at(one), at(last), stores)) return AdjacentWord{body_[i].operands[1].reg, distance};
    }
    return {};
  }

 private:
  struct Copy {
    std::size_t load = 0;
    BaseOffset from, to;
  };

  static bool lies_at(const BaseOffset& word, const BaseOffset& from, std::int64_t distance) {
    return word.base == from.base && word.offset == from.offset + distance;
  }

  std::pair<std::size_t, std::size_t> block() const {
    std::size_t first = store_, end = store_ + 1;
    while (first > 0 && !ends_block(body_[first - 1])) --first;
    while (end < body_.size() && !ends_block(body_[end])) ++end;
    return {first, end};
  }

  std::optional<Copy> copy_at(std::size_t i) const {
    if (!is_word(body_[i], Opcode::st) || body_[i].operands[1].kind != Kind::reg) return {};
    const auto load = writer(body_[i].operands[1].reg, i);
    if (!load || !is_word(body_[*load], Opcode::ld)) return {};
    const auto from = word(body_[*load].operands[1], *load), to = word(body_[i].operands[0], i);
    if (!from || !to) return {};
    return Copy{*load, *from, *to};
  }

  std::size_t store_;
};

}  // namespace

std::optional<AdjacentWord> find_adjacent_word(const ptx::Function& function, std::size_t store,
                                               std::int64_t distance) {
  return StructCopySearch(function, store).beside(distance);
}

}  // namespace warpgrade::emulator
