#include "fatbin/line_program.hpp"

namespace warpgrade::fatbin {
namespace {

// DWARF 5, sections 6.2.5.2 and 6.2.5.3.
enum Standard : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddAddress = 8,
  kFixedAdvanceAddress = 9,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

}  // namespace

LineHeader::LineHeader(DwarfBytes& in, unsigned version) {
  step = in.read<std::uint8_t>();
  in.take(version >= 4 ? 2 : 1);  // operations of an instruction, default_is_stmt
  line_base = in.read<std::int8_t>();
  line_range = in.read<std::uint8_t>();
  first_special = in.read<std::uint8_t>();
  for (unsigned code = 1; code < first_special; ++code) operands.push_back(in.read<std::uint8_t>());
}

LineProgram::LineEvent LineProgram::next() {
  if (has_ended_) row_ = kFirst;
  has_ended_ = false;
  const auto code = in_.read<std::uint8_t>();
  if (code >= header_.first_special) return special(code);
  switch (code) {
    case kExtended:
      return extended();
    case kCopy:
      return LineEvent::row;
    case kAdvanceAddress:
      advance(in_.unsigned_leb());
      break;
    case kAdvanceLine:
      move_line(in_.signed_leb());
      break;
    case kSetFile:
      row_.file = in_.unsigned_leb();
      break;
    case kConstAddAddress:
      advance((255u - header_.first_special) / unsigned{header_.line_range});
      break;
    case kFixedAdvanceAddress:
      row_.address += in_.read<std::uint16_t>();
      break;
    default:  // what these say (column, statement …) is not needed
      for (unsigned i = 0; i < header_.operands[code - 1u]; ++i) in_.unsigned_leb();
  }
  return LineEvent::other;
}

LineProgram::LineEvent LineProgram::special(std::uint8_t code) {
  const unsigned above = code - unsigned{header_.first_special};
  advance(above / header_.line_range);
  move_line(header_.line_base + static_cast<int>(above % header_.line_range));
  return LineEvent::row;
}

LineProgram::LineEvent LineProgram::extended() {
  DwarfBytes operand(in_.take(in_.unsigned_leb()));
  const auto code = operand.read<std::uint8_t>();
  has_ended_ = code == kEndSequence;
  if (has_ended_) return LineEvent::end;
  if (code != kSetAddress) return LineEvent::other;
  const bool is_whole = operand.left() == sizeof row_.address;
  row_.address = operand.read<std::uint64_t>();
  return is_whole ? LineEvent::address : LineEvent::other;
}

}  // namespace warpgrade::fatbin
