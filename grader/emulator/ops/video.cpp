#include "ops/video.hpp"

#include "isa/operation.hpp"
#include "isa/scalar_video.hpp"

namespace warpgrade::emulator {
namespace {

const DecodedInstruction* run_video(Warp& warp, const DecodedInstruction* at) {
  const auto& control = *reinterpret_cast<const isa::VideoControl*>(at->immediate);
  const auto lanes = [&](int operand) { return warp.lanes<std::uint32_t>(at->operand[operand]); };
  const std::uint32_t *a = lanes(1), *b = lanes(2), *c = lanes(3);
  std::uint32_t* to = lanes(0);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = isa::video(control, a[lane], b[lane], c[lane]);
  return at + 1;
}

std::uint32_t whole_register(ptx::Operand operand, DecodeContext& context) {
  operand.symbol.clear();  // `control` selects the part
  operand.negated = false;
  return context.slot(operand, ptx::Type::u32);
}

}  // namespace

bool decode_video(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to) {
  if (isa::shape_of(from) != isa::Shape::video) return false;
  const auto control = isa::video_control(from);
  if (!control) context.unsupported(from, "the manual has no such form of it");
  for (std::size_t i = 0; i < from.operands.size(); ++i)
    to.operand[i] = whole_register(from.operands[i], context);
  if (from.operands.size() == 3) to.operand[3] = to.operand[2];
  auto kept = std::make_shared<const isa::VideoControl>(*control);
  to.immediate = reinterpret_cast<std::uint64_t>(kept.get());
  to.handler = run_video;
  context.keep(std::move(kept));
  return true;
}

}  // namespace warpgrade::emulator
