#include "host_code/instruction.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace warpgrade::host_code {
namespace {

// What an instruction does with an operand.
enum class Use : std::uint8_t { none, read, write };

struct Cursor {
  const std::uint8_t* at;
  bool rex = false, wide = false, short_operand = false, repeat = false;
  unsigned rex_reg = 0, rex_index = 0, rex_base = 0;  // 8: the upper eight registers

  std::uint8_t next() { return *at++; }
  template <class T>
  std::int64_t value() {
    T out;
    std::memcpy(&out, at, sizeof out);
    at += sizeof out;
    return out;
  }
  void skip(std::size_t bytes) { at += bytes; }
  std::size_t immediate() const { return short_operand ? 2 : 4; }  // bytes
};

void read_prefixes(Cursor& c) {
  for (;; ++c.at) {
    switch (*c.at) {
      case 0x66:
        c.short_operand = true;
        continue;
      case 0xf2:
      case 0xf3:
        c.repeat = *c.at == 0xf3;
        continue;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x64:
      case 0x65:
      case 0xf0:
        continue;
      default:
        break;
    }
    break;
  }
  if (*c.at >> 4 != 4) return;
  const unsigned bits = c.next();
  c.rex = true;
  c.wide = (bits & 8) != 0;
  c.rex_reg = (bits & 4) << 1;
  c.rex_index = (bits & 2) << 2;
  c.rex_base = (bits & 1) << 3;
}

// The operands that a ModRM byte names.
struct Operands {
  unsigned extension = 0;  // its middle bits, as the number of an operation
  bool in_memory = false;
  bool reg_is_rax = false, other_is_rax = false;  // in a general register
  bool address_has_rax = false;
};

// Without REX, the bytes 4 to 7 are ah, ch, dh and bh.
bool is_rax(const Cursor& c, unsigned number, bool bytes) {
  return number == 0 || (bytes && !c.rex && number == 4);
}

Operands operands(Cursor& c, bool bytes = false) {
  const unsigned modrm = c.next(), mode = modrm >> 6, other = modrm & 7;
  Operands out;
  out.extension = modrm >> 3 & 7;
  out.reg_is_rax = is_rax(c, out.extension | c.rex_reg, bytes);
  out.in_memory = mode != 3;
  if (!out.in_memory) {
    out.other_is_rax = is_rax(c, other | c.rex_base, bytes);
    return out;
  }
  bool no_base = mode == 0 && other == 5;  // relative to the next instruction
  out.address_has_rax = !no_base && other != 4 && (other | c.rex_base) == 0;
  if (other == 4) {
    const unsigned sib = c.next();
    no_base = mode == 0 && (sib & 7) == 5;
    out.address_has_rax = (sib >> 3 & 7) + c.rex_index == 0 || (!no_base && (sib & 7) + c.rex_base == 0);
  }
  c.skip(no_base || mode == 2 ? 4 : mode);
  return out;
}

void use(HostInstruction& to, bool is_rax, Use how) {
  if (!is_rax) return;
  to.reads_rax |= how == Use::read;
  to.replaces_rax |= how == Use::write;
}

// An instruction with a ModRM byte. A write into memory has no effect on rax. Setting al, as before another
// call with floating-point arguments, counts as replacing rax.
Operands modrm(Cursor& c, HostInstruction& to, Use reg, Use other, bool bytes = false) {
  const Operands out = operands(c, bytes);
  use(to, out.reg_is_rax, reg);
  use(to, out.other_is_rax, other);
  to.reads_rax |= out.address_has_rax;
  return out;
}

// add, or, adc, sbb, and, sub, xor, cmp: 0x00 to 0x3d.
bool arithmetic(Cursor& c, HostInstruction& to, unsigned opcode) {
  const unsigned form = opcode & 7, operation = opcode >> 3;
  if (form > 5) return false;
  if (form >= 4) {  // with al or eax
    c.skip(form == 4 ? 1 : c.immediate());
    return to.reads_rax = true;
  }
  const Operands done = modrm(c, to, Use::read, Use::read, (form & 1) == 0);
  constexpr unsigned kSubtract = 5, kXor = 6;
  if ((operation == kSubtract || operation == kXor) && done.reg_is_rax && done.other_is_rax) {  // makes a 0
    to.reads_rax = false;
    to.replaces_rax = true;
  }
  return true;
}

// 0xf6, 0xf7: test, not, neg, mul, imul, div, idiv.
bool group3(Cursor& c, HostInstruction& to, bool bytes) {
  const Operands done = modrm(c, to, Use::none, Use::read, bytes);
  if (done.extension < 2) c.skip(bytes ? 1 : c.immediate());
  to.reads_rax |= done.extension >= 4;
  return true;
}

// 0xff: inc, dec, call, jmp, push.
bool group5(Cursor& c, HostInstruction& to) {
  const Operands done = modrm(c, to, Use::none, Use::read);
  if (done.extension == 2) to.flow = Flow::call;
  return done.extension < 3 || done.extension == 6;  // others jump to where is not known
}

bool jump(Cursor& c, HostInstruction& to, Flow flow, bool far) {
  to.flow = flow;
  to.distance = far ? c.value<std::int32_t>() : c.value<std::int8_t>();
  return true;
}

enum class Constant : std::uint8_t { none, byte, full };  // after the operands; full: 2 or 4 bytes

// Opcodes whose operands a ModRM byte names, and that need no other treatment.
struct ModrmForm {
  std::uint8_t first, last;
  Use reg, other;
  Constant constant = Constant::none;

  bool has(unsigned opcode) const { return opcode >= first && opcode <= last; }
};

// The first row that has an opcode counts.
constexpr ModrmForm kOneByte[] = {
    {0x63, 0x63, Use::write, Use::read},                  // movsxd
    {0x69, 0x69, Use::write, Use::read, Constant::full},  // imul with a constant
    {0x6b, 0x6b, Use::write, Use::read, Constant::byte},
    {0x80, 0x80, Use::none, Use::read, Constant::byte},  // arithmetic with a constant
    {0x81, 0x81, Use::none, Use::read, Constant::full},
    {0x83, 0x83, Use::none, Use::read, Constant::byte},
    {0x84, 0x87, Use::read, Use::read},   // test, xchg
    {0x88, 0x89, Use::read, Use::write},  // mov
    {0x8a, 0x8b, Use::write, Use::read},
    {0x8d, 0x8d, Use::write, Use::none},                  // lea
    {0xc0, 0xc1, Use::none, Use::read, Constant::byte},   // shifts by a constant
    {0xc6, 0xc6, Use::none, Use::write, Constant::byte},  // mov of a constant
    {0xc7, 0xc7, Use::none, Use::write, Constant::full},
    {0xd0, 0xd3, Use::none, Use::read},  // shifts
    {0xfe, 0xfe, Use::none, Use::read},  // inc, dec
};

// Behind 0x0f. Of SSE and SSE2 most operands are vector registers, which are not followed.
constexpr ModrmForm kTwoBytes[] = {
    {0x2a, 0x2a, Use::none, Use::read},   // from a general register
    {0x2c, 0x2d, Use::write, Use::none},  // to a general register
    {0x10, 0x17, Use::none, Use::none},   // SSE
    {0x28, 0x2f, Use::none, Use::none},
    {0x40, 0x4f, Use::read, Use::read},                  // cmov
    {0x50, 0x50, Use::write, Use::none},                 // to a general register
    {0x6e, 0x6e, Use::none, Use::read},                  // from a general register
    {0x70, 0x73, Use::none, Use::none, Constant::byte},  // SSE with a constant
    {0x51, 0x76, Use::none, Use::none},                  // SSE
    {0x7c, 0x7f, Use::none, Use::none},
    {0xa3, 0xa3, Use::read, Use::read},                  // bt
    {0xa4, 0xa4, Use::read, Use::read, Constant::byte},  // shld
    {0xab, 0xab, Use::read, Use::read},                  // bts
    {0xac, 0xac, Use::read, Use::read, Constant::byte},  // shrd
    {0xaf, 0xaf, Use::read, Use::read},                  // imul
    {0xb3, 0xb3, Use::read, Use::read},                  // btr
    {0xb8, 0xb8, Use::write, Use::read},                 // popcnt
    {0xba, 0xba, Use::read, Use::read, Constant::byte},  // bt with a constant
    {0xbb, 0xbb, Use::read, Use::read},                  // btc
    {0xbc, 0xbd, Use::write, Use::read},                 // bsf, bsr
    {0xc0, 0xc1, Use::read, Use::read},                  // xadd
    {0xc2, 0xc2, Use::none, Use::none, Constant::byte},  // SSE with a constant
    {0xc6, 0xc6, Use::none, Use::none, Constant::byte},
    {0xd7, 0xd7, Use::write, Use::none},  // to a general register
    {0xd0, 0xfe, Use::none, Use::none},   // SSE
};

// Whether the table has the opcode; then its operands and constant are read.
bool by_table(std::span<const ModrmForm> forms, Cursor& c, HostInstruction& to, unsigned opcode, bool bytes) {
  const auto form =
      std::find_if(forms.begin(), forms.end(), [&](const ModrmForm& each) { return each.has(opcode); });
  if (form == forms.end()) return false;
  modrm(c, to, form->reg, form->other, bytes);
  if (form->constant != Constant::none) c.skip(form->constant == Constant::byte ? 1 : c.immediate());
  return true;
}

// Eight opcodes each: their lower bits are the number of a register, or the condition of a branch.
bool in_eights(Cursor& c, HostInstruction& to, unsigned opcode) {
  const unsigned number = (opcode & 7) | c.rex_base;
  switch (opcode & 0xf8) {
    case 0x50:  // push
      use(to, number == 0, Use::read);
      return true;
    case 0x58:  // pop
      use(to, number == 0, Use::write);
      return true;
    case 0x70:
    case 0x78:
      return jump(c, to, Flow::branch, false);
    case 0x90:  // xchg; with itself: nop
      to.reads_rax = number != 0;
      return true;
    case 0xb0:  // mov to a byte
      c.skip(1);
      use(to, is_rax(c, number, true), Use::write);
      return true;
    case 0xb8:  // mov
      c.skip(c.wide ? 8 : c.immediate());
      use(to, number == 0, Use::write);
      return true;
    default:
      return false;
  }
}

// cdqe, cdq and stos: they have no operands, and read rax or a part of it.
bool reads_rax_alone(unsigned opcode) { return (opcode & 0xfe) == 0x98 || (opcode & 0xfe) == 0xaa; }

bool one_byte(Cursor& c, HostInstruction& to, unsigned opcode) {
  const bool bytes = (opcode & 1) == 0;
  if (opcode < 0x40) return arithmetic(c, to, opcode);
  if (in_eights(c, to, opcode) || by_table(kOneByte, c, to, opcode, bytes)) return true;
  if (reads_rax_alone(opcode)) return to.reads_rax = true;
  switch (opcode) {
    case 0x68:  // push of a constant
    case 0x6a:
      c.skip(opcode == 0x68 ? c.immediate() : 1);
      return true;
    case 0xa4:  // movs
    case 0xa5:
    case 0xc9:  // leave
      return true;
    case 0xa8:  // test
    case 0xa9:
      c.skip(bytes ? 1 : c.immediate());
      return to.reads_rax = true;
    case 0xc2:  // ret
    case 0xc3:
      c.skip(opcode == 0xc2 ? 2 : 0);
      to.flow = Flow::back;
      return true;
    case 0xe8:
      return jump(c, to, Flow::call, true);
    case 0xe9:
    case 0xeb:
      return jump(c, to, Flow::jump, opcode == 0xe9);
    case 0xf6:
    case 0xf7:
      return group3(c, to, bytes);
    case 0xff:
      return group5(c, to);
    default:
      return false;
  }
}

bool two_bytes(Cursor& c, HostInstruction& to, unsigned opcode) {
  if ((opcode & 0xf0) == 0x80) return jump(c, to, Flow::branch, true);
  if ((opcode & 0xf0) == 0x90) return modrm(c, to, Use::none, Use::write, true), true;  // set
  if (opcode == 0x0d || (opcode >= 0x18 && opcode <= 0x1f)) {  // prefetch, nop, endbr64
    modrm(c, to, Use::none, Use::none);
    to.reads_rax = false;  // nop WORD PTR [rax+rax*1+0x0] reads nothing
    return true;
  }
  if (opcode == 0x7e) {  // movd to a general register, or movq between vector registers
    modrm(c, to, Use::none, c.repeat ? Use::none : Use::write);
    return true;
  }
  if ((opcode & 0xf6) == 0xb6) {  // movzx, movsx
    const Operands done = operands(c);
    to.reads_rax = done.other_is_rax || done.address_has_rax;
    to.replaces_rax = done.reg_is_rax;
    return true;
  }
  return by_table(kTwoBytes, c, to, opcode, false);
}

}  // namespace

HostInstruction decode(const std::uint8_t* at) {
  Cursor c{at};
  read_prefixes(c);
  HostInstruction out;
  const unsigned opcode = c.next();
  const bool known = opcode == 0x0f ? two_bytes(c, out, c.next()) : one_byte(c, out, opcode);
  if (out.reads_rax) out.replaces_rax = false;
  if (known) out.length = static_cast<std::size_t>(c.at - at);
  return out;
}

}  // namespace warpgrade::host_code
