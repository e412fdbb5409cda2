// Scalar video instructions: by hand, and against a GPU's kept answers.
#include "isa/scalar_video.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/emulator/isa/video_cases.hpp"
#include "tests/emulator/support/checkout.hpp"

using namespace warpgrade;

namespace {

std::uint32_t run(const std::string& text, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
  return isa::video(isa::video_cases::control_of(text), a, b, c);
}

}  // namespace

TEST_CASE("parts are taken with their sign, results merged or combined") {
  CHECK(run("vadd.u32.u32.u32 d, a.b1, b.h1", 0x1200, 0x30000) == 0x15);
  CHECK(run("vadd.s32.s32.s32 d, a.b0, b", 0xff, 5) == 4);
  CHECK(run("vsub.s32.u32.u32 d, a, b", 3, 5) == 0xfffffffe);
  CHECK(run("vsub.u32.u32.u32.sat d, a, b", 3, 5) == 0);
  CHECK(run("vadd.u32.u32.u32 d.b2, a, b, c", 0xf0, 0x20, 0x11223344) == 0x11103344);
  CHECK(run("vadd.s32.s32.s32.sat d.b0, a, b, c", 100, 100, 0xaabbccdd) == 0xaabbcc7f);
  CHECK(run("vadd.u32.u32.u32 d.h1, a, b, c", 0x12340000, 5, 0xaabbccdd) ==
        0x1234ccdd);  // its own upper half
  CHECK(run("vabsdiff.u32.s32.s32.add d, a.b3, b.b3, c", 0x80000000, 0x7f000000, 1000) == 1255);
  CHECK(run("vmax.s32.s32.s32.min d, a, b, c", 7, 0xfffffff0, 5) == 5);
  CHECK(run("vmax.s32.u32.u32.min d, a, b, c", 1, 0xb0000000, 0x69000000) == 0x69000000);
}

TEST_CASE("shifts, comparisons, products") {
  CHECK(run("vshl.u32.u32.u32.clamp d, a, b", 1, 40) == 0);
  CHECK(run("vshl.u32.u32.u32.wrap d, a, b", 1, 40) == 256);
  CHECK(run("vshr.s32.s32.u32.clamp d, a, b", 0x80000000, 4) == 0xf8000000);
  CHECK(run("vset.s32.u32.lt d, a, b", 0xffffffff, 3) == 1);
  CHECK(run("vset.u32.u32.lt.add d, a, b, c", 3, 0xffffffff, 41) == 42);
  CHECK(run("vmad.u32.u32.u32.shr7 d, a.b0, b.b1, c", 200, 0x6400, 128) == (200 * 100 + 128) >> 7);
}

TEST_CASE("an H200 gives the same, where its compiler follows the manual") {
  std::ifstream file(warpgrade::checkout() / "grader/tests/emulator/isa/h200_video_answers.tsv");
  int same = 0, asked = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.rfind('\t');
    if (tab == line.npos || line[0] == '#') continue;
    const std::string text = line.substr(0, tab);
    const isa::VideoControl control = isa::video_cases::control_of(text);
    isa::cases::Digest digest;
    for (int index = 0; index < isa::video_cases::kCases; ++index) {
      const auto operand = [&](int position) { return isa::video_cases::operand(position, index); };
      digest.add_word(isa::video(control, operand(1), operand(2), operand(3)));
    }
    const bool agrees = digest.text() == line.substr(tab + 1);
    if (!isa::video_cases::departs(text)) CHECK_MESSAGE(agrees, text);
    same += agrees;
    ++asked;
  }
  CHECK(asked == 216);
  CHECK(same >= 175);
}

TEST_CASE("other instructions, and forms that the manual lacks") {
  const auto control = [](const std::string& text) {
    const ptx::Module module = ptx::parse(isa::video_cases::kernel_head("") + text + ";\nret;\n}\n");
    return isa::video_control(module.functions.at(0).instructions.at(0));
  };
  CHECK_FALSE(control("add.u32 d, a, b"));
  CHECK_FALSE(control("vadd.u32.u32 d, a, b"));
  CHECK_FALSE(control("vadd.u32.u32.u32.add d, a, b"));
  CHECK_FALSE(control("vmad.u32.u32.u32 d, a, b"));
}
