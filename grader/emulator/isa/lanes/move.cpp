// Rows of mov, with its packing of small registers into a large one and back.
#include "isa/functors/logic.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

using b128 = Tag<uint128, uint128, ptx::Type::b128>;

const DecodedInstruction* move_mask(Warp& warp, const DecodedInstruction* at) {
  write_mask(warp, at->operand[0], read_mask(warp, at->operand[1]));
  return at + 1;
}

// operands: d, then the parts, lowest first
template <class Whole, class Part, int kParts>
const DecodedInstruction* pack(Warp& warp, const DecodedInstruction* at) {
  using Word = typename Whole::value;
  const typename Part::storage* parts[kParts];
  for (int part = 0; part < kParts; ++part) parts[part] = lanes<Part>(warp, at->operand[part + 1]);
  for_lanes<Whole>(warp, at->operand[0], [&](int i) {
    Word word = 0;
    for (int part = 0; part < kParts; ++part) {
      word = static_cast<Word>(word | static_cast<Word>(value_of<Part>(parts[part], i))
                                          << part * kBitsOf<typename Part::value>);
    }
    return word;
  });
  return at + 1;
}

// operands: the parts, lowest first, then the source. No part shares a slot with the source: their widths
// differ.
template <class Whole, class Part, int kParts>
const DecodedInstruction* unpack(Warp& warp, const DecodedInstruction* at) {
  const auto* whole = lanes<Whole>(warp, at->operand[kParts]);
  for (int part = 0; part < kParts; ++part) {
    for_lanes<Part>(warp, at->operand[part],
                    [=](int i) { return whole[i] >> part * kBitsOf<typename Part::value>; });
  }
  return at + 1;
}

template <class Whole, class Part, int kParts>
using PackSignature =
    std::conditional_t<kParts == 2, Signature<Whole, Part, Part>, Signature<Whole, Part, Part, Part, Part>>;
template <class Whole, class Part, int kParts>
using UnpackSignature =
    std::conditional_t<kParts == 2, Signature<Part, Part, Whole>, Signature<Part, Part, Part, Part, Whole>>;

#define PARTS_2 "{a, b}"
#define PARTS_4 "{a, b, c, d}"
#define MOVE_MASK(form, section) \
  make_row(form, &move_mask, CounterClass::move, section, Signature<pred, pred>{}),
#define MOVE_WIDE(form, section) functor_row<Copy, unary<b128>>(form, CounterClass::move, section),
#define MOVE_PARTS(form, whole, part, count, section)                                                  \
  make_row(form " r, " PARTS_##count, &pack<whole, part, count>, CounterClass::move, section,          \
           PackSignature<whole, part, count>{}),                                                       \
      make_row(form " " PARTS_##count ", r", &unpack<whole, part, count>, CounterClass::move, section, \
               UnpackSignature<whole, part, count>{}),

constexpr Operation kRows[] = {
#include "isa/rows/move.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(move_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
