#include "observe/demanded_bytes.hpp"

#include <algorithm>
#include <string_view>

#include "exec/program.hpp"
#include "exec/registers_used.hpp"
#include "observe/observers.hpp"

namespace warpgrade::observe {
namespace {

using Bytes = std::uint16_t;
using ptx::Instruction;
using ptx::Operand;

constexpr Bytes kAll = 0xffff;

Bytes lowest(int count) { return static_cast<Bytes>((1u << std::min(count, 16)) - 1); }

// Of a value that its register may extend by its sign.
Bytes within(Bytes demanded, int bytes) {
  const Bytes own = lowest(bytes);
  return static_cast<Bytes>((demanded & own) | ((demanded & ~own) != 0 ? 1u << (bytes - 1) : 0u));
}

bool has(const Instruction& i, std::string_view modifier) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), modifier) != i.modifiers.end();
}

int bytes_of_type(std::string_view name) { return ptx::size_in_bytes(ptx::type_from_name(name)); }

bool is_integer(std::string_view type) { return type.starts_with('u') || type.starts_with('s'); }

class Demand {
 public:
  Demand(const ptx::Function& function, bool stores)
      : function_(function), stores_(stores), of_(function.registers.size()) {}

  std::vector<Bytes> run() {
    // Backwards, because most uses stand behind what they use.
    for (bool changed = true; changed;) {
      changed_ = false;
      for (auto i = function_.instructions.rbegin(); i != function_.instructions.rend(); ++i) look(*i);
      changed = changed_;
    }
    return std::move(of_);
  }

 private:
  void add(std::int32_t reg, Bytes bytes) {
    if (reg < 0) return;
    Bytes& of = of_[static_cast<std::size_t>(reg)];
    bytes &= lowest(std::max(1, ptx::size_in_bytes(function_.registers[static_cast<std::size_t>(reg)].type)));
    changed_ |= (bytes & ~of) != 0;
    of |= bytes;
  }
  void add(const Operand& operand, Bytes bytes) {
    if (operand.kind == Operand::Kind::reg) add(operand.reg, bytes);
  }
  Bytes of(const Operand& operand) const {
    return operand.kind == Operand::Kind::reg ? of_[static_cast<std::size_t>(operand.reg)] : kAll;
  }

  void look(const Instruction& i) {
    if (!passes_on(i))
      for (const std::int32_t r : exec::registers_used(i).read) add(r, kAll);
    else
      add(i.guard, kAll);
  }

  // True where the instruction's operands have been dealt with.
  bool passes_on(const Instruction& i) {
    if (i.opcode == "st") return store(i);
    if (i.operands.size() < 2 || i.operands[0].kind == Operand::Kind::address) return false;
    const Operand& to = i.operands[0];
    if (i.opcode == "mov") return move(i);
    if (to.kind != Operand::Kind::reg) return false;
    if (i.opcode == "shfl") return shuffle(i);
    if (to.second >= 0) return false;
    if (i.opcode == "cvt") return convert(i);
    if (i.operands.size() < 3) return false;
    if (i.opcode == "and") return mask(i);
    if (i.opcode == "shr" || i.opcode == "shl") return shift(i);
    if (i.opcode == "selp") {
      add(i.operands[1], of(to));
      add(i.operands[2], of(to));
      if (i.operands.size() > 3) add(i.operands[3], kAll);
      return true;
    }
    return false;
  }

  bool store(const Instruction& i) {
    if (i.operands.size() != 2 || i.modifiers.empty()) return false;
    const Operand &address = i.operands[0], &value = i.operands[1];
    const int bytes = bytes_of_type(i.modifiers.back());
    if (bytes == 0 || !address.elements.empty()) return false;
    if (address.has_reg) add(address.reg, kAll);
    const auto one = [&](const Operand& each) {
      if (each.kind != Operand::Kind::reg) return;
      const int whole = ptx::size_in_bytes(function_.registers[static_cast<std::size_t>(each.reg)].type);
      if (stores_ || bytes < whole) add(each.reg, lowest(bytes));
    };
    if (value.kind == Operand::Kind::vector) std::for_each(value.elements.begin(), value.elements.end(), one);
    one(value);
    return true;
  }

  // Also what takes a register apart or puts it together: mov.b64 {%r1, %r2}, %rd1.
  bool move(const Instruction& i) {
    const Operand &to = i.operands[0], &from = i.operands[1];
    if (i.modifiers.empty() || i.operands.size() != 2) return false;
    const int whole = bytes_of_type(i.modifiers.back());
    if (to.kind == Operand::Kind::vector && from.kind == Operand::Kind::reg) {
      const int part = whole / static_cast<int>(to.elements.size());
      for (std::size_t e = 0; e < to.elements.size(); ++e)
        if (to.elements[e].kind == Operand::Kind::reg)
          add(from.reg, static_cast<Bytes>((of(to.elements[e]) & lowest(part)) << e * part));
      return true;
    }
    if (to.kind != Operand::Kind::reg) return false;
    if (from.kind == Operand::Kind::vector) {
      const int part = whole / static_cast<int>(from.elements.size());
      for (std::size_t e = 0; e < from.elements.size(); ++e)
        add(from.elements[e], static_cast<Bytes>(of(to) >> e * part & lowest(part)));
      return true;
    }
    add(from, of(to));
    return true;
  }

  bool shuffle(const Instruction& i) {
    add(i.operands[1], of(i.operands[0]));
    for (std::size_t o = 2; o < i.operands.size(); ++o) add(i.operands[o], kAll);
    return true;
  }

  bool convert(const Instruction& i) {
    if (i.modifiers.size() != 2 || !is_integer(i.modifiers[0]) || !is_integer(i.modifiers[1])) return false;
    const Bytes wanted = within(of(i.operands[0]), bytes_of_type(i.modifiers[0]));
    const int from = bytes_of_type(i.modifiers[1]);
    add(i.operands[1],
        i.modifiers[1].starts_with('s') ? within(wanted, from) : static_cast<Bytes>(wanted & lowest(from)));
    return true;
  }

  bool mask(const Instruction& i) {
    const bool constant = i.operands[2].kind == Operand::Kind::integer;
    if (!constant || has(i, "pred")) return false;
    Bytes kept = 0;
    for (unsigned b = 0; b < 8; ++b)
      if ((i.operands[2].bits >> 8 * b & 0xff) != 0) kept = static_cast<Bytes>(kept | 1u << b);
    add(i.operands[1], of(i.operands[0]) & kept);
    return true;
  }

  bool shift(const Instruction& i) {
    const Operand& by = i.operands[2];
    const bool is_signed = i.modifiers.back().starts_with('s');
    if (by.kind != Operand::Kind::integer || by.bits % 8 != 0 || by.bits > 56 || is_signed) return false;
    const auto bytes = static_cast<unsigned>(by.bits / 8);
    const Bytes wanted = of(i.operands[0]);
    add(i.operands[1], static_cast<Bytes>(i.opcode == "shr" ? wanted << bytes : wanted >> bytes));
    return true;
  }

  const ptx::Function& function_;
  const bool stores_;
  std::vector<Bytes> of_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::uint16_t> demanded_bytes(const ptx::Function& function, bool stores) {
  return Demand(function, stores).run();
}

DemandedBytes Demands::of(const Access& access) {
  const exec::Program& program = *access.warp->block->program;
  const exec::Origin& origin = program.origin(access.at->index);
  if (origin.ptx == nullptr || origin.function < 0) return {};
  const Instruction& ptx = *origin.ptx;
  const bool exchange = ptx.opcode == "atom" && has(ptx, "exch");
  if ((ptx.opcode != "ld" && !exchange) || ptx.operands.empty()) return {};
  const Operand& to = ptx.operands[0];
  const bool is_vector = to.kind == Operand::Kind::vector;
  const std::size_t count = is_vector ? to.elements.size() : 1;
  const int bytes = access.bytes / static_cast<int>(count);
  const auto [found, fresh] = functions_.try_emplace(origin.function);
  OfFunction& known = found->second;
  if (fresh) {
    const ptx::Function& function = program.module().functions[static_cast<std::size_t>(origin.function)];
    known = {demanded_bytes(function, true), demanded_bytes(function, false)};
  }
  DemandedBytes out{0, 0};
  for (std::size_t e = 0; e < count; ++e) {
    const Operand& element = is_vector ? to.elements[e] : to;
    if (element.kind != Operand::Kind::reg) continue;
    const auto reg = static_cast<std::size_t>(element.reg);
    out.all |= std::uint64_t{within(known.all[reg], bytes)} << static_cast<int>(e) * bytes;
    out.but_for_copies |= std::uint64_t{within(known.but_for_copies[reg], bytes)}
                          << static_cast<int>(e) * bytes;
  }
  return out;
}

}  // namespace warpgrade::observe
