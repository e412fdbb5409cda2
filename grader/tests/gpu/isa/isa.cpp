// Asks a GPU for its answers to the cases of every row of the operation table, and compares the emulator's:
// isa.sh builds and runs it.
//
// Each row becomes a small kernel in PTX, which the driver compiles. Into the folder that is named on the
// command line go the rows that claim to be as the hardware, each with a digest of its answers:
// h200_answers.tsv, h200_matrix_answers.tsv and h200_video_answers.tsv, to be kept in
// grader/tests/emulator/isa. Standard output: rows whose answers differ, and those that this GPU does not
// have. Needs no toolkit: the driver's library is loaded at run time. Exit codes: 0 all as expected, 1 some
// differ, 2 no GPU or wrong usage.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "gpu.hpp"
#include "isa/fidelity.hpp"
#include "matrix.hpp"
#include "tests/emulator/isa/answers.hpp"
#include "video.hpp"

using namespace warpgrade;
using hardware::Gpu;
using isa::Operation;
using isa::cases::kCases;
using isa::cases::Raw;

namespace {

constexpr std::size_t kPlane = sizeof(Raw) * kCases;  // one operand of all cases
constexpr int kCarryPlane = 8, kPlanes = 9;

// ---- the kernel of a row

const char* register_type(ptx::Type type) {
  if (type == ptx::Type::pred) return ".pred";
  if (type == ptx::Type::b8) return ".b8";
  switch (isa::lane_bytes(type)) {
    case 2:
      return ".b16";
    case 4:
      return ".b32";
    case 8:
      return ".b64";
    default:
      return ".b128";
  }
}
// From the words w0 and w1 to register r<i>, and back.
std::string to_register(ptx::Type type, int i) {
  const std::string r = "r" + std::to_string(i);
  if (type == ptx::Type::pred) return "setp.ne.u64 " + r + ", w0, 0;\n";
  if (type == ptx::Type::b8) return "cvt.u8.u64 " + r + ", w0;\n";
  switch (isa::lane_bytes(type)) {
    case 2:
      return "cvt.u16.u64 " + r + ", w0;\n";
    case 4:
      return "cvt.u32.u64 " + r + ", w0;\n";
    case 8:
      return "mov.b64 " + r + ", w0;\n";
    default:
      return "mov.b128 " + r + ", {w0, w1};\n";
  }
}
std::string from_register(ptx::Type type, int i) {
  const std::string r = "r" + std::to_string(i);
  if (type == ptx::Type::pred) return "selp.u64 w0, 1, 0, " + r + ";\n";
  if (type == ptx::Type::b8) return "cvt.u64.u8 w0, " + r + ";\n";
  switch (isa::lane_bytes(type)) {
    case 2:
      return "cvt.u64.u16 w0, " + r + ";\n";
    case 4:
      return "cvt.u64.u32 w0, " + r + ";\n";
    case 8:
      return "mov.b64 w0, " + r + ";\n";
    default:
      return "mov.b128 {w0, w1}, " + r + ";\n";
  }
}
std::string plane_address(const char* base, int plane) {
  return std::string("add.u64 a, ") + base + ", t;\nadd.u64 a, a, " +
         std::to_string(static_cast<std::size_t>(plane) * kPlane) + ";\n";
}

// The instruction with its operands r0, r1 … as the form wants them.
std::string instruction(const Operation& row, const isa::cases::RowShape& shape) {
  const std::string text = row.form, form = text.substr(0, text.find(' '));
  const std::string pattern = form.size() < text.size() ? text.substr(form.size() + 1) : "";
  const auto reg = [&](int i) {
    return i == shape.table_operand ? std::string("0x96") : "r" + std::to_string(i);
  };
  const auto list = [&](int from, int to) {
    std::string all;
    for (int i = from; i < to; ++i) all += (i > from ? ", " : "") + reg(i);
    return all;
  };
  const int n = shape.operands;
  std::string operands = list(0, n);
  if (pattern.starts_with("{")) operands = "{" + list(0, n - 1) + "}, " + reg(n - 1);
  if (pattern.starts_with("r, {")) operands = reg(0) + ", {" + list(1, n) + "}";
  if (shape.without_second)
    operands = reg(0) + ", " + list(2, n);
  else if (shape.destinations == 2 && pattern.empty())
    operands = reg(0) + "|" + list(1, n);
  return form + " " + operands + ";\n";
}

std::string kernel(const Operation& row, const isa::cases::RowShape& shape) {
  std::ostringstream out;
  out << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry row(.param .u64 pin, .param .u64 "
         "pout)\n{\n"
      << ".reg .b64 in, out, t, a, w0, w1;\n.reg .b32 i, n, carry, unused;\n";
  for (int i = 0; i < shape.operands; ++i) {
    out << ".reg " << register_type(row.operands[static_cast<std::size_t>(i)]) << " r" << i << ";\n";
  }
  out << "ld.param.u64 in, [pin];\nld.param.u64 out, [pout];\nmov.u32 i, %ctaid.x;\nmov.u32 n, %ntid.x;\n"
      << "mul.lo.u32 i, i, n;\nmov.u32 n, %tid.x;\nadd.u32 i, i, n;\nmul.wide.u32 t, i, 16;\n";
  for (int i = shape.destinations; i < shape.operands; ++i) {
    out << plane_address("in", i) << "ld.global.v2.u64 {w0, w1}, [a];\n"
        << to_register(row.operands[static_cast<std::size_t>(i)], i);
  }
  if (shape.reads_carry) {
    out << plane_address("in", kCarryPlane) << "ld.global.u64 w0, [a];\ncvt.u32.u64 carry, w0;\n"
        << "add.cc.u32 unused, carry, 0xffffffff;\n";
  }
  out << instruction(row, shape);
  if (shape.writes_carry) out << "addc.u32 carry, 0, 0;\n";
  for (int i = 0; i < shape.destinations; ++i) {
    if (i == 1 && shape.without_second) continue;
    out << "mov.u64 w1, 0;\n"
        << from_register(row.operands[static_cast<std::size_t>(i)], i) << plane_address("out", i)
        << "st.global.v2.u64 [a], {w0, w1};\n";
  }
  if (shape.writes_carry) {
    out << "cvt.u64.u32 w0, carry;\n" << plane_address("out", kCarryPlane) << "st.global.u64 [a], w0;\n";
  }
  out << "ret;\n}\n";
  return out.str();
}

// ---- one row

std::vector<Raw> operands_of(const Operation& row, const isa::cases::RowShape& shape) {
  std::vector<Raw> in(kPlanes * kCases);
  for (int first = 0; first < kCases; first += 32) {
    isa::cases::Run run;
    isa::cases::load_cases(row, shape, first, run);
    for (int lane = 0; lane < 32; ++lane) {
      const auto at = static_cast<std::size_t>(first + lane);
      for (std::size_t i = 0; i < static_cast<std::size_t>(shape.operands); ++i) {
        in[i * kCases + at] =
            isa::cases::get_lane(run.frame.data() + i * isa::cases::kSlotBytes, row.operands[i], lane);
      }
      in[kCarryPlane * kCases + at] = run.carry >> lane & 1;
    }
  }
  return in;
}

// Cases in which the emulator differs; the digest of the GPU's answers goes to `digest`.
int compare(const Operation& row, const isa::cases::RowShape& shape, const std::vector<Raw>& gpu,
            isa::cases::Digest& digest) {
  int different = 0;
  for (int first = 0; first < kCases; first += 32) {
    isa::cases::Run run;
    isa::cases::load_cases(row, shape, first, run);
    if (!shape.reads_carry) run.carry = 0;
    isa::cases::run_row(row, shape, run, emulator::kFullMask);
    for (int lane = 0; lane < 32; ++lane) {
      const auto at = static_cast<std::size_t>(first + lane);
      bool same = true;
      for (std::size_t i = 0; i < static_cast<std::size_t>(shape.destinations); ++i) {
        if (i == 1 && shape.without_second) continue;
        digest.add(gpu[i * kCases + at]);
        same &= gpu[i * kCases + at] ==
                isa::cases::get_lane(run.frame.data() + i * isa::cases::kSlotBytes, row.operands[i], lane);
      }
      if (shape.writes_carry) {
        const auto carry = static_cast<std::uint64_t>(gpu[kCarryPlane * kCases + at]);
        digest.add_word(carry);
        same &= carry == (run.carry >> lane & 1);
      }
      different += !same;
    }
  }
  return different;
}

struct Tally {
  int asked = 0, differ = 0;
};

Tally ask_lanewise(Gpu& gpu, std::ostream& answers) {
  answers << "# An H200's answers to the cases of grader/tests/emulator/isa/cases.hpp; made by "
             "grader/tests/gpu/isa/isa.sh.\n";
  Tally tally;
  for (const Operation& row : isa::table()) {
    if (row.shape != isa::Shape::lanewise) continue;
    const auto shape = isa::cases::shape_of(row);
    std::vector<Raw> planes = operands_of(row, shape);
    if (!gpu.run(kernel(row, shape), kCases / 128, 128, planes, planes)) {
      std::printf("%s: not on this GPU\n", row.form);
      continue;
    }
    isa::cases::Digest digest;
    const int different = compare(row, shape, planes, digest);
    ++tally.asked;
    if (different != 0) std::printf("%s: %d of %d cases differ\n", row.form, different, kCases);
    const bool exact = isa::evidence(row) == isa::Evidence::hardware;
    tally.differ += exact && different != 0;
    if (exact) answers << isa::cases::name_of(row) << '\t' << digest.text() << '\n';
  }
  return tally;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: isa FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  Gpu gpu;
  std::ofstream matrices(folder + "/h200_matrix_answers.tsv"), videos(folder + "/h200_video_answers.tsv"),
      lanewise(folder + "/h200_answers.tsv");
  const hardware::Matrices matrix = hardware::ask_matrices(gpu, matrices);
  std::printf("%d matrix rows asked, %d differ; of wmma's fragments %d are laid out otherwise\n",
              matrix.asked, matrix.differ, matrix.fragments);
  const hardware::Videos video = hardware::ask_videos(gpu, videos);
  std::printf(
      "%d scalar video instructions asked, %d differ where ptxas departs from the manual, %d elsewhere\n",
      video.asked, video.departing, video.differ);
  std::fflush(stdout);
  const Tally rows = ask_lanewise(gpu, lanewise);
  std::printf("%d rows asked, %d that should be the same differ\n", rows.asked, rows.differ);
  return rows.differ + matrix.differ + video.differ != 0;
}
