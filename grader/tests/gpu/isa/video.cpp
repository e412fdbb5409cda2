#include "video.hpp"

#include "tests/emulator/isa/video_cases.hpp"

namespace warpgrade::hardware {
namespace {

using isa::video_cases::kCases;

std::string kernel(const std::string& text) {
  return isa::video_cases::kernel_head(".param .u64 pin, .param .u64 pout") +
         ".reg .b64 in, out, t;\n.reg .b32 i;\n"
         "ld.param.u64 in, [pin];\nld.param.u64 out, [pout];\nmov.u32 i, %tid.x;\nmul.wide.u32 t, i, 12;\n"
         "add.u64 in, in, t;\nmul.wide.u32 t, i, 4;\nadd.u64 out, out, t;\nld.global.u32 a, [in];\n"
         "ld.global.u32 b, [in+4];\nld.global.u32 c, [in+8];\n" +
         text + ";\nst.global.u32 [out], d;\nret;\n}\n";
}

}  // namespace

Videos ask_videos(Gpu& gpu, std::ostream& answers) {
  answers << "# An H200's answers to the cases of grader/tests/emulator/isa/video_cases.hpp; made by "
             "grader/tests/gpu/isa/isa.sh.\n";
  std::vector<std::uint32_t> in;
  for (int index = 0; index < kCases; ++index)
    for (int position = 1; position <= 3; ++position)
      in.push_back(isa::video_cases::operand(position, index));
  Videos sum;
  for (const std::string& text : isa::video_cases::texts()) {
    std::vector<std::uint32_t> out(kCases);
    if (!gpu.run(kernel(text), 1, kCases, in, out)) {
      std::printf("%s: not on this GPU\n", text.c_str());
      continue;
    }
    const isa::VideoControl control = isa::video_cases::control_of(text);
    isa::cases::Digest digest;
    int different = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint32_t *operands = in.data() + 3 * i,
                          ours = isa::video(control, operands[0], operands[1], operands[2]);
      digest.add_word(out[i]);
      if (ours != out[i] && different++ < 3)
        std::printf("    %s of %x %x %x: emulator %x, GPU %x\n", text.c_str(), operands[0], operands[1],
                    operands[2], ours, out[i]);
    }
    ++sum.asked;
    (isa::video_cases::departs(text) ? sum.departing : sum.differ) += different != 0;
    if (different != 0) std::printf("%s: %d of %d cases differ\n", text.c_str(), different, kCases);
    answers << text << '\t' << digest.text() << '\n';
  }
  return sum;
}

}  // namespace warpgrade::hardware
