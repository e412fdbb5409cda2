#include "definedness/propagation_rules.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/flow/control_flow.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Bytes = std::uint16_t;
using ptx::Instruction;
using ptx::Operand;

constexpr Bytes kAll = 0xffff;

Bytes lowest(unsigned count) { return static_cast<Bytes>((1u << std::min(count, 16u)) - 1); }
unsigned bytes_of(ptx::Type type) { return static_cast<unsigned>(ptx::size_in_bytes(type)); }

// Bit b is set where byte b of `value` equals `byte`.
Bytes bytes_equal(std::uint64_t value, unsigned byte) {
  Bytes out = 0;
  for (unsigned b = 0; b < 8; ++b)
    if ((value >> 8 * b & 0xff) == byte) out = static_cast<Bytes>(out | 1u << b);
  return out;
}

class Rules {
 public:
  Rules(const Instruction& instruction, const LaneOperands& lane) : i_(instruction), lane_(lane) {}

  void run(std::span<const std::int32_t> read, std::span<Undefined> results) {
    if (i_.opcode == Opcode::mov && i_.operands.size() == 2 && i_.operands[0].kind == Operand::Kind::vector)
      return unpack(results);
    Undefined all;
    for (const std::int32_t reg : read) join(all, lane_.undefined(reg));
    if (all.bytes == 0) return;
    const std::optional<Bytes> known = one_result();
    const Bytes bytes = known ? *known : kAll;
    for (Undefined& each : results) each = {bytes, all.read};
  }

 private:
  static void join(Undefined& to, const Undefined& from) {
    if (from.bytes == 0) return;
    if (to.bytes == 0) to.read = from.read;
    to.bytes |= from.bytes;
  }
  const Operand& operand(std::size_t n) const { return i_.operands[n]; }
  Bytes bytes(std::size_t n) const {
    return operand(n).kind == Operand::Kind::reg ? lane_.undefined(operand(n).reg).bytes : Bytes{0};
  }
  std::uint64_t value(std::size_t n) const {
    if (operand(n).kind == Operand::Kind::reg) return lane_.value(operand(n).reg) ^ operand(n).negated;
    return operand(n).bits;
  }
  bool is_constant(std::size_t n) const { return operand(n).kind == Operand::Kind::integer; }

  // mov.b64 {%r1, %r2}, %rd1
  void unpack(std::span<Undefined> results) const {
    const Operand& to = operand(0);
    if (operand(1).kind != Operand::Kind::reg || i_.modifiers.empty()) return;
    const Undefined from = lane_.undefined(operand(1).reg);
    const unsigned part = bytes_of(i_.type()) / static_cast<unsigned>(to.elements.size());
    std::size_t n = 0;
    for (unsigned e = 0; e < to.elements.size() && n < results.size(); ++e)
      if (to.elements[e].kind == Operand::Kind::reg)
        results[n++] = {static_cast<Bytes>(from.bytes >> e * part & lowest(part)), from.read};
  }

  std::optional<Bytes> one_result() const {
    if (mixes_all_bytes(i_)) return {};
    const Opcode op = i_.opcode;
    if (op == Opcode::mov && i_.operands.size() == 2) return copy_or_pack();
    if (op == Opcode::cvt) return convert();
    if (i_.operands.size() < 2) return {};
    if (i_.has(Modifier::f32x2)) return both_of_pair();
    if (op == Opcode::not_) return bytes(1);
    if (i_.operands.size() < 3) return {};
    if (op == Opcode::and_) return dominated(0);
    if (op == Opcode::or_) return dominated(0xff);
    if (op == Opcode::xor_) return static_cast<Bytes>(bytes(1) | bytes(2));
    if (op == Opcode::shl || op == Opcode::shr) return shift();
    if (op == Opcode::setp) return compare();
    if (i_.operands.size() < 4) return {};
    if (op == Opcode::selp) return select();
    if (op == Opcode::lop3)
      return i_.operands.size() > 5 ? std::optional<Bytes>{} : bytes(1) | bytes(2) | bytes(3);
    if (op == Opcode::prmt) return permute();
    if (op == Opcode::bfe) return extract();
    return {};
  }

  // mov, also mov.b64 %rd1, {%r1, %r2}.
  std::optional<Bytes> copy_or_pack() const {
    const Operand& from = operand(1);
    if (from.kind != Operand::Kind::vector) return bytes(1);
    const unsigned part = bytes_of(i_.type()) / static_cast<unsigned>(from.elements.size());
    unsigned out = 0;
    for (unsigned e = 0; e < from.elements.size(); ++e)
      if (from.elements[e].kind == Operand::Kind::reg)
        out |= static_cast<unsigned>(lane_.undefined(from.elements[e].reg).bytes & lowest(part)) << e * part;
    return static_cast<Bytes>(out);
  }

  // add.f32x2 and its like: an f32 of the result depends on the f32 at the same place of each operand.
  Bytes both_of_pair() const {
    Bytes any = 0;
    for (std::size_t n = 1; n < i_.operands.size(); ++n) any = static_cast<Bytes>(any | bytes(n));
    return static_cast<Bytes>((any & 0x0f ? 0x0f : 0) | (any & 0xf0 ? 0xf0 : 0));
  }

  std::optional<Bytes> convert() const {
    if (i_.modifiers.size() != 2) return {};
    const ptx::Type to = ptx::type_of(i_.modifiers[0]), from = i_.type();
    if (!ptx::is_integer(to) || !ptx::is_integer(from)) return {};
    const Bytes wide = extended(bytes(1), bytes_of(from), ptx::is_signed(from));
    return extended(wide, bytes_of(to), ptx::is_signed(to));
  }

  // A defined byte 0 of `and`, or 255 of `or`, decides the result alone. For predicates: false, or true.
  std::optional<Bytes> dominated(unsigned byte) const {
    const Bytes a = bytes(1), b = bytes(2);
    if (i_.has(Modifier::pred)) {
      const std::uint64_t deciding = byte & 1;
      const bool decided = (b == 0 && (value(2) & 1) == deciding) || (a == 0 && (value(1) & 1) == deciding);
      return static_cast<Bytes>(decided ? 0 : 1);
    }
    return static_cast<Bytes>((a & ~(bytes_equal(value(2), byte) & ~b)) |
                              (b & ~(bytes_equal(value(1), byte) & ~a)));
  }

  std::optional<Bytes> shift() const {
    if (i_.modifiers.empty() || bytes(2) != 0) return {};
    const std::uint64_t by = value(2) & 0xffffffff;
    const unsigned size = bytes_of(i_.type());
    if (by >= 8 * size) return {};
    const auto whole = static_cast<unsigned>(by / 8);
    unsigned from = bytes(1) & lowest(size);
    const bool sign = i_.opcode == Opcode::shr && ptx::is_signed(i_.type()) && (from >> (size - 1) & 1) != 0;
    if (sign) from |= lowest(size) << size;  // copies of the sign
    const bool between = by % 8 != 0;        // each byte of the source affects two bytes
    const unsigned out = i_.opcode == Opcode::shr ? from >> whole | (between ? from >> (whole + 1) : 0)
                                                  : from << whole | (between ? from << (whole + 1) : 0);
    return static_cast<Bytes>(out & lowest(size));
  }

  // setp.lt.and.s32 %p1, %r1, %r2, %p2: %p2 may decide the result alone.
  std::optional<Bytes> compare() const {
    if (i_.operands.size() < 4 || operand(0).second >= 0 || bytes(3) != 0) return {};
    const bool set = (value(3) & 1) != 0;
    const bool decided = (i_.has(Modifier::and_) && !set) || (i_.has(Modifier::or_) && set);
    return static_cast<Bytes>(decided ? 0 : 1);
  }

  std::optional<Bytes> select() const {
    if (bytes(3) != 0) return {};
    return bytes((value(3) & 1) != 0 ? 1 : 2);
  }

  std::optional<Bytes> permute() const {
    if (bytes(3) != 0 || i_.modifiers.size() != 1) return {};
    const unsigned from = static_cast<unsigned>(bytes(1) & 0xf) | static_cast<unsigned>(bytes(2) & 0xf) << 4;
    unsigned out = 0;
    for (unsigned b = 0; b < 4; ++b) out |= (from >> (value(3) >> 4 * b & 7) & 1) << b;
    return static_cast<Bytes>(out);
  }

  std::optional<Bytes> extract() const {
    if (!is_constant(2) || !is_constant(3)) return {};
    const auto first = static_cast<unsigned>(operand(2).bits & 0xff),
               count = static_cast<unsigned>(operand(3).bits & 0xff);
    if (count == 0 || first + count > 64) return {};
    const unsigned touched = lowest((first + count + 7) / 8) & ~static_cast<unsigned>(lowest(first / 8));
    return static_cast<Bytes>((bytes(1) & touched) != 0 ? kAll : 0);
  }

  const Instruction& i_;
  const LaneOperands& lane_;
};

}  // namespace

bool merges_bits(const ptx::Instruction& instruction) {
  return isa::is(instruction, isa::Attribute::atomic) &&
         instruction.has_any({Modifier::and_, Modifier::or_, Modifier::xor_});
}

MergedBytes merged(const ptx::Instruction& instruction, std::uint64_t missing, std::uint64_t operand) {
  const bool is_and = instruction.has(Modifier::and_), is_or = instruction.has(Modifier::or_);
  const Bytes zero = bytes_equal(operand, 0), ones = bytes_equal(operand, 0xff);
  const Bytes alone = is_and ? ones : zero, decided = is_and ? zero : is_or ? ones : Bytes{0};
  return {static_cast<Bytes>(missing & alone), static_cast<Bytes>(missing & ~(alone | decided))};
}

std::uint16_t extended(std::uint64_t missing, unsigned bytes, bool is_signed) {
  const Bytes own = static_cast<Bytes>(missing & lowest(bytes));
  const bool sign = is_signed && bytes > 0 && bytes < 16 && (own >> (bytes - 1) & 1) != 0;
  return sign ? static_cast<Bytes>(own | ~lowest(bytes)) : own;
}

bool mixes_all_bytes(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::not_:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::setp:
    case Opcode::selp:
    case Opcode::lop3:
    case Opcode::prmt:
    case Opcode::bfe:
      return false;
    default:
      return !instruction.has(Modifier::f32x2);
  }
}

void propagate_undefined(const ptx::Instruction& instruction, std::span<const std::int32_t> read,
                         const LaneOperands& lane, std::span<Undefined> results) {
  Rules(instruction, lane).run(read, results);
}

}  // namespace warpgrade::emulator
