// Scalar video instructions, PTX ISA 9.7.17: bytes or halves of registers, computed with more than 32
// bits, limited, and merged with or added to a third operand. Where ptxas, which puts them together for an
// H200, does otherwise in plain cases, this follows it: parts saturate as if they were unsigned, a result
// that goes to the upper half is taken from its own upper half, and min and max look at 32 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/tree/module.hpp"

namespace warpgrade::isa {

enum class VideoOperation : std::uint8_t { add, sub, absdiff, min, max, shl, shr, mad, set };

struct VideoControl {
  enum class Secondary : std::uint8_t { none, add, min, max, merge };
  enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge };
  // The part of a register: 0 to 3 a byte, 4 and 5 a half, 6 all of it.
  static constexpr std::uint8_t kHalf = 4, kWhole = 6;

  VideoOperation operation = VideoOperation::add;
  Secondary secondary = Secondary::none;
  Relation relation = Relation::eq;  // set
  std::uint8_t d_part = kWhole, a_part = kWhole, b_part = kWhole;
  bool d_signed = false, a_signed = false, b_signed = false;
  bool saturate = false, wrap = false;                              // wrap: shifts count modulo 32
  bool plus_one = false, negate_product = false, negate_c = false;  // mad
  std::uint8_t shift = 0;                                           // mad: 0, 7 or 15
};

// Empty for any other instruction, and for a form that the manual does not have.
std::optional<VideoControl> video_control(const ptx::Instruction& instruction);
std::uint32_t video(const VideoControl& control, std::uint32_t a, std::uint32_t b, std::uint32_t c);

}  // namespace warpgrade::isa
