#include "analysis/memory/store_sources.hpp"

#include "analysis/flow/reaching_definitions.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

unsigned bytes_of(const ptx::Instruction& i) { return static_cast<unsigned>(ptx::size_in_bytes(i.type())); }

bool is_plain(const ptx::Instruction& i, Opcode opcode, std::size_t operands) {
  return i.opcode == opcode && i.guard < 0 && i.operands.size() == operands;
}

class StoreSourceSearch : ReachingDefinitions {
 public:
  StoreSourceSearch(const ptx::Function& function, std::size_t store)
      : ReachingDefinitions(function), store_(store) {}

  StoreSource run() const {
    StoreSource out;
    const ptx::Instruction& store = body_[store_];
    if (!is_plain(store, Opcode::st, 2) || store.operands[1].kind != Kind::reg) return out;
    out.loaded = widened(store);
    out.computed = computed(store);
    out.kept = kept(store.operands[1], store_, 2);
    return out;
  }

 private:
  bool computed(const ptx::Instruction& store) const {
    const auto from = writer(store.operands[1].reg, store_);
    if (!from) return false;
    const ptx::Instruction& each = body_[*from];
    switch (each.opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::mad:
        return true;
      case Opcode::shl:  // by whole bytes: may put a struct together
        return each.operands.size() == 3 && each.operands[2].kind == Kind::integer &&
               each.operands[2].bits % 8 != 0;
      default:
        return false;
    }
  }

  unsigned widened(const ptx::Instruction& store) const {
    auto from = writer(store.operands[1].reg, store_);
    for (int steps = 0; from && steps < 4; ++steps) {
      const ptx::Instruction& each = body_[*from];
      if (is_plain(each, Opcode::ld, 2) && each.operands[0].kind == Kind::reg)
        return bytes_of(each) < bytes_of(store) ? bytes_of(each) : 0;
      const bool moves =
          is_plain(each, Opcode::mov, 2) || (is_plain(each, Opcode::cvt, 2) && each.modifiers.size() == 2);
      const bool cuts = is_plain(each, Opcode::and_, 3) && each.operands[2].kind == Kind::integer;
      if ((!moves && !cuts) || each.operands[1].kind != Kind::reg) return 0;
      from = writer(each.operands[1].reg, *from);
    }
    return 0;
  }

  // A bit-field assignment: `or` or `bfi` inserts bits into the word that `and` with a constant has masked.
  // Returns the mask of the bits that stay.
  std::optional<std::uint64_t> kept(const ptx::Operand& value, std::size_t before, int steps) const {
    const auto from = value.kind == Kind::reg ? writer(value.reg, before) : std::nullopt;
    if (!from || steps < 0) return {};
    const ptx::Instruction& each = body_[*from];
    if (is_plain(each, Opcode::and_, 3) && each.operands[2].kind == Kind::integer &&
        is_of_place(each.operands[1], *from))
      return each.operands[2].bits;
    const bool puts = is_plain(each, Opcode::or_, 3) || is_plain(each, Opcode::bfi, 5),
               moves = is_plain(each, Opcode::cvt, 2);
    for (std::size_t o = 1; (puts && o < 3) || (moves && o < 2); ++o)
      if (const auto found = kept(each.operands[o], *from, steps - 1)) return found;
    return {};
  }

  bool is_of_place(const ptx::Operand& value, std::size_t before) const {
    auto from = value.kind == Kind::reg ? writer(value.reg, before) : std::nullopt;
    if (from && is_plain(body_[*from], Opcode::cvt, 2) && body_[*from].operands[1].kind == Kind::reg)
      from = writer(body_[*from].operands[1].reg, *from);
    if (!from || !is_plain(body_[*from], Opcode::ld, 2) || bytes_of(body_[*from]) != bytes_of(body_[store_]))
      return false;
    const auto place = word(body_[*from].operands[1], *from);
    return place && place == word(body_[store_].operands[0], store_);
  }

  std::size_t store_;
};

}  // namespace

StoreSource find_store_source(const ptx::Function& function, std::size_t store) {
  return StoreSourceSearch(function, store).run();
}

}  // namespace warpgrade::emulator
