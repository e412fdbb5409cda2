#include "isa/scalar_video.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace warpgrade::isa {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Secondary = VideoControl::Secondary;
using Relation = VideoControl::Relation;

std::optional<VideoOperation> operation_of(Opcode opcode) {
  switch (opcode) {
#define VIDEO(name)     \
  case Opcode::v##name: \
    return VideoOperation::name;
    VIDEO(add)
    VIDEO(sub)
    VIDEO(absdiff)
    VIDEO(min)
    VIDEO(max)
    VIDEO(shl)
    VIDEO(shr)
    VIDEO(mad)
    VIDEO(set)
#undef VIDEO
    default:
      return {};
  }
}

std::optional<Relation> relation_of(Modifier modifier) {
  switch (modifier) {
#define RELATION(name) \
  case Modifier::name: \
    return Relation::name;
    RELATION(eq)
    RELATION(ne)
    RELATION(lt)
    RELATION(le)
    RELATION(gt)
    RELATION(ge)
#undef RELATION
    default:
      return {};
  }
}

std::optional<std::uint8_t> part_of(const ptx::Operand& operand) {
  const std::string_view part = operand.kind == ptx::Operand::Kind::reg ? operand.symbol : std::string_view();
  if (part.empty()) return VideoControl::kWhole;
  const auto number = static_cast<std::uint8_t>(part.back() - '0');
  if (part.size() == 2 && part[0] == 'b' && number < 4) return number;
  if (part.size() == 2 && part[0] == 'h' && number < 2)
    return static_cast<std::uint8_t>(VideoControl::kHalf + number);
  return {};
}

// False if the modifier means nothing in this instruction.
bool take_modifier(Modifier modifier, VideoControl& to, std::vector<bool>& types) {
  if (const auto relation = relation_of(modifier); relation && to.operation == VideoOperation::set) {
    to.relation = *relation;
    return true;
  }
  switch (modifier) {
    case Modifier::u32:
    case Modifier::s32:
      types.push_back(modifier == Modifier::s32);
      return true;
    case Modifier::sat:
      return to.saturate = true;
    case Modifier::clamp:
    case Modifier::wrap:
      to.wrap = modifier == Modifier::wrap;
      return true;
    case Modifier::po:
      return to.plus_one = true;
    case Modifier::shr7:
    case Modifier::shr15:
      to.shift = modifier == Modifier::shr7 ? 7 : 15;
      return true;
    case Modifier::add:
      to.secondary = Secondary::add;
      return true;
    case Modifier::min:
      to.secondary = Secondary::min;
      return true;
    case Modifier::max:
      to.secondary = Secondary::max;
      return true;
    default:
      return false;
  }
}

std::int64_t extract(std::uint32_t word, std::uint8_t part, bool is_signed) {
  const int bits = part < VideoControl::kHalf ? 8 : part < VideoControl::kWhole ? 16 : 32;
  const int from = part < VideoControl::kHalf ? 8 * part : part < VideoControl::kWhole ? 16 * (part - 4) : 0;
  const std::uint32_t raised = word << (32 - bits - from);
  return is_signed ? std::int64_t{static_cast<std::int32_t>(raised) >> (32 - bits)}
                   : std::int64_t{raised >> (32 - bits)};
}

bool holds(Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case Relation::eq:
      return a == b;
    case Relation::ne:
      return a != b;
    case Relation::lt:
      return a < b;
    case Relation::le:
      return a <= b;
    case Relation::gt:
      return a > b;
    case Relation::ge:
      return a >= b;
  }
  return false;
}

// a·b + c with b's and c's signs, rounded up by one where .po asks for it, and shifted.
__extension__ using Wide = __int128;
Wide multiply_add(const VideoControl& control, std::int64_t a, std::int64_t b, std::uint32_t c) {
  const bool c_signed = control.a_signed || control.b_signed || control.negate_c || control.negate_product;
  const Wide product = Wide{a} * b;
  Wide addend = c_signed ? Wide{static_cast<std::int32_t>(c)} : Wide{c};
  if (control.negate_c) addend = -addend;
  return ((control.negate_product ? -product : product) + addend + control.plus_one) >> control.shift;
}

std::int64_t compute(const VideoControl& control, std::int64_t a, std::int64_t b) {
  switch (control.operation) {
    case VideoOperation::add:
      return a + b;
    case VideoOperation::sub:
      return a - b;
    case VideoOperation::absdiff:
      return a > b ? a - b : b - a;
    case VideoOperation::min:
      return std::min(a, b);
    case VideoOperation::max:
      return std::max(a, b);
    case VideoOperation::shl:
      return a << (control.wrap ? b & 31 : std::min<std::int64_t>(b, 32));
    case VideoOperation::shr:
      return a >> (control.wrap ? b & 31 : std::min<std::int64_t>(b, 32));
    case VideoOperation::set:
      return holds(control.relation, a, b);
    case VideoOperation::mad:
      break;
  }
  return 0;
}

std::uint32_t limited(const VideoControl& control, Wide value) {
  if (control.d_part != VideoControl::kWhole) {  // parts: a negative value is treated as too large
    const std::uint32_t most = control.d_part < VideoControl::kHalf ? 0xffu : 0xffffu;
    return std::min(static_cast<std::uint32_t>(value), control.d_signed ? most / 2 : most);
  }
  const Wide high = control.d_signed ? Wide{0x7fffffff} : Wide{0xffffffff};
  const Wide low = control.d_signed ? -high - 1 : Wide{0};
  return static_cast<std::uint32_t>(std::clamp(value, low, high));
}

std::uint32_t merged(std::uint8_t part, std::uint32_t value, std::uint32_t c) {
  if (part == VideoControl::kWhole) return value;
  if (part == VideoControl::kHalf + 1) return (value & 0xffff0000u) | (c & 0xffffu);
  const std::uint32_t mask = part < VideoControl::kHalf ? 0xffu : 0xffffu;
  const int from = part < VideoControl::kHalf ? 8 * part : 0;
  return (c & ~(mask << from)) | (value & mask) << from;
}

// min and max take the 32 bits of the first result for signed where an operand was.
std::uint32_t combined(const VideoControl& control, std::uint32_t value, std::uint32_t c) {
  const bool is_signed =
      (control.a_signed || control.b_signed) && control.operation != VideoOperation::absdiff;
  const std::int64_t left = is_signed ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
  const std::int64_t right = control.d_signed ? std::int64_t{static_cast<std::int32_t>(c)} : std::int64_t{c};
  const bool less =
      control.d_signed ? left < right : static_cast<std::uint64_t>(left) < static_cast<std::uint64_t>(right);
  switch (control.secondary) {
    case Secondary::add:
      return value + c;
    case Secondary::min:
      return less ? value : c;
    case Secondary::max:
      return less ? c : value;
    case Secondary::merge:
      return merged(control.d_part, value, c);
    default:
      return value;
  }
}

}  // namespace

std::optional<VideoControl> video_control(const ptx::Instruction& instruction) {
  VideoControl to;
  const auto operation = operation_of(instruction.opcode);
  if (!operation) return {};
  to.operation = *operation;
  std::vector<bool> types;
  for (const Modifier each : instruction.modifiers)
    if (!take_modifier(each, to, types)) return {};
  const bool set = to.operation == VideoOperation::set, mad = to.operation == VideoOperation::mad;
  const auto& operands = instruction.operands;
  if (types.size() != (set ? 2 : 3) || operands.size() < 3 || operands.size() > 4) return {};
  to.d_signed = types[0];  // of vset, whose result is 0 or 1, what min and max go by
  to.a_signed = types[set ? 0 : 1];
  to.b_signed = types[set ? 1 : 2];
  const auto d = part_of(operands[0]), a = part_of(operands[1]), b = part_of(operands[2]);
  if (!d || !a || !b) return {};
  to.d_part = *d, to.a_part = *a, to.b_part = *b;
  const bool has_c = operands.size() == 4;
  if (!mad && to.secondary == Secondary::none && has_c) to.secondary = Secondary::merge;
  if (has_c != (mad || to.secondary != Secondary::none)) return {};
  to.negate_product = mad && operands[1].negated != operands[2].negated;
  to.negate_c = mad && operands[3].negated;
  return to;
}

std::uint32_t video(const VideoControl& control, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::int64_t x = extract(a, control.a_part, control.a_signed),
                     y = extract(b, control.b_part, control.b_signed);
  const bool mad = control.operation == VideoOperation::mad;
  const Wide exact = mad ? multiply_add(control, x, y, c) : Wide{compute(control, x, y)};
  const auto value = static_cast<std::uint32_t>(control.saturate ? limited(control, exact)
                                                                 : static_cast<std::int64_t>(exact));
  return combined(control, value, c);
}

}  // namespace warpgrade::isa
