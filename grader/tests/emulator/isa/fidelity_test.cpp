// Compares every row that the fidelity table calls exact with a GPU's answers, which are kept in
// h200_answers.tsv.
#include "isa/fidelity.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/emulator/isa/answers.hpp"
#include "tests/emulator/support/checkout.hpp"
#include "tests/emulator/support/sanitized.hpp"

using namespace warpgrade;
using isa::cases::Run;

namespace {

std::map<std::string, std::string> kept_answers() {
  std::ifstream file(warpgrade::checkout() / "grader/tests/emulator/isa/h200_answers.tsv");
  std::map<std::string, std::string> answers;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.rfind('\t');
    if (tab != line.npos && line[0] != '#') answers[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return answers;
}

std::string digest(const isa::Operation& row) {
  const auto shape = isa::cases::shape_of(row);
  isa::cases::Digest digest;
  for (int first = 0; first < isa::cases::kCases; first += 32) {
    Run run;
    isa::cases::load_cases(row, shape, first, run);
    if (!shape.reads_carry) run.carry = 0;
    isa::cases::run_row(row, shape, run, emulator::kFullMask);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < shape.destinations; ++i) {
        if (i == 1 && shape.without_second) continue;
        const auto at = static_cast<std::size_t>(i);
        digest.add(
            isa::cases::get_lane(run.frame.data() + at * isa::cases::kSlotBytes, row.operands[at], lane));
      }
      if (shape.writes_carry) digest.add_word(run.carry >> lane & 1);
    }
  }
  return digest.text();
}

}  // namespace

TEST_CASE("rows that claim to be as an H200 give its answers") {
  const auto answers = kept_answers();
  REQUIRE(answers.size() > 5000);
  std::size_t compared = 0, seen = 0;
  for (const isa::Operation& row : isa::table()) {
    if (row.shape != isa::Shape::lanewise || isa::evidence(row) != isa::Evidence::hardware) continue;
    // lanes_test.cpp runs each row under the sanitizers: here some are enough.
    if (seen++ % 4 != 0 && is_sanitized()) continue;
    const auto found = answers.find(isa::cases::name_of(row));
    REQUIRE_MESSAGE(found != answers.end(), std::string_view(row.form),
                    ": no answer was kept; run grader/tests/gpu/isa/isa.sh");
    CHECK_MESSAGE(digest(row) == found->second, std::string_view(row.form));
    ++compared;
  }
  if (!is_sanitized()) CHECK(compared == answers.size());
}

TEST_CASE("the fidelity table has each form once, with section and evidence") {
  std::ostringstream out;
  isa::print_fidelity(out);
  const std::string text = out.str();
  CHECK(text.find("add.s32\t9.7.1.1\tas an H200\n") != text.npos);
  CHECK(text.find("sin.approx.f32\t9.7.3.18\twithin the manual's error bound\n") != text.npos);
  CHECK(text.find("fma.rn.ftz.f32x2\t9.7.3.6\tas the reference\n") != text.npos);
  CHECK(text.find("\nadd.rz.sat.f32.bf16\t9.7.5.1\tas the reference\n") != text.npos);
  CHECK(text.find("\ncvt.f32.f16\t9.7.9.21\tas an H200\n") != text.npos);
  CHECK(text.find("min.f32 d, a, b, c\t9.7.3.11\tas the reference\n") != text.npos);
  CHECK(text.find("shfl.sync\t9.7.9.6\tsee the tests of ops\n") != text.npos);
  CHECK(text.find("\ncvt.s64.s8\t") == text.rfind("\ncvt.s64.s8\t"));
}
