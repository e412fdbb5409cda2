// Scalar video instructions to test, as PTX with registers d, a, b, c, and numbers for their operands.
#pragma once

#include <string>
#include <vector>

#include "answers.hpp"
#include "isa/scalar_video.hpp"
#include "ptx/parser/parser.hpp"

namespace warpgrade::isa::video_cases {

constexpr int kCases = 512;

inline std::string with_part(const char* name, std::uint64_t choice) {
  constexpr const char* parts[] = {"", "", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  return std::string(name) + parts[choice % 9];
}

// One instruction of an opcode, with its types, parts and ending chosen by `seed`.
inline std::string text_of(const std::string& opcode, const std::string& extra, std::uint64_t seed) {
  const std::uint64_t bits = cases::mix(seed);
  const bool shift = opcode == "vshl" || opcode == "vshr", set = opcode == "vset", mad = opcode == "vmad";
  const auto type = [&](int bit) { return bits >> bit & 1 ? ".s32" : ".u32"; };
  std::string text = opcode;
  if (!set) text += type(0);
  text += type(1);
  text += shift ? ".u32" : type(2);
  const bool saturates = !set && (bits >> 3 & 1);
  if (mad)
    return text + (saturates ? ".sat" : "") + extra + " d, " + with_part("a", bits >> 8 & 0xff) + ", " +
           with_part("b", bits >> 16 & 0xff) + ", c";
  if (saturates) text += ".sat";
  text += extra;
  constexpr const char* endings[] = {"", ".add", ".min", ".max", "merge"};
  const std::string ending = endings[(bits >> 24) % 5];
  std::string d = "d";
  if (ending == "merge") {
    constexpr const char* parts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    d += parts[(bits >> 32) % 6];
  } else {
    text += ending;
  }
  text += " " + d + ", " + with_part("a", bits >> 8 & 0xff) + ", " + with_part("b", bits >> 16 & 0xff);
  return text + (ending.empty() ? "" : ", c");
}

inline std::vector<std::string> texts() {
  std::vector<std::string> all;
  std::uint64_t seed = 0;
  for (const char* opcode : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
    for (int i = 0; i < 24; ++i) all.push_back(text_of(opcode, "", ++seed));
  for (const char* opcode : {"vshl", "vshr"})
    for (const char* mode : {".clamp", ".wrap"})
      for (int i = 0; i < 12; ++i) all.push_back(text_of(opcode, mode, ++seed));
  for (const char* relation : {".eq", ".ne", ".lt", ".le", ".gt", ".ge"})
    for (int i = 0; i < 4; ++i) all.push_back(text_of("vset", relation, ++seed));
  for (const char* scale : {"", ".shr7", ".shr15"})
    for (int i = 0; i < 8; ++i) all.push_back(text_of("vmad", scale, ++seed));
  return all;
}

inline std::string kernel_head(const char* parameters) {
  return std::string(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry row(") + parameters +
         ")\n{\n.reg .b32 d, a, b, c;\n";
}
inline VideoControl control_of(const std::string& text) {
  const ptx::Module module = ptx::parse(kernel_head("") + text + ";\nret;\n}\n");
  return video_control(module.functions.at(0).instructions.at(0)).value();
}

inline std::uint32_t operand(int position, int index) {
  return static_cast<std::uint32_t>(cases::operand(ptx::Type::u32, position, index));
}

// Forms for which the code that ptxas emits for an H200 departs from the manual or overflows 32 bits on the
// way: saturation, shifts to the left, scaled products, and one sum.
inline bool departs(const std::string& text) {
  return text.find(".sat") != text.npos || text.starts_with("vshl") || text.find(".shr") != text.npos ||
         text.starts_with("vadd.s32.u32.u32.max");
}

}  // namespace warpgrade::isa::video_cases
