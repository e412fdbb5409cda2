#include "analysis/similarity/terms.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using warpgrade::emulator::Terms;
using warpgrade::emulator::terms_of;

namespace {

const std::string kKernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
.reg .b32 %r<4>;
.reg .f32 %f<3>;
.reg .pred %p<2>;
.loc 1 7 3
mov.u32 %r1, %tid.x;
mul.lo.s32 %r2, %r1, 12;
.loc 1 8 3
add.s32 %r3, %r2, %r1;
ld.shared.f32 %f1, [%r3+64];
st.shared.f32 [%r2], %f1;
ret;
}
.file 1 "kernel.cu"
.file 2 "header.h"
)";

Terms terms(const std::string& text) { return terms_of(warpgrade::ptx::parse(text)); }

std::string changed(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::set<std::uint64_t> keys(const Terms& of) {
  std::set<std::uint64_t> all;
  for (const auto& [term, lines] : of) all.insert(term);
  return all;
}

}  // namespace

TEST_CASE("terms: one for each computation, with its lines") {
  const Terms found = terms(kKernel);
  CHECK(found.size() == 4);
  std::set<int> all;
  for (const auto& [term, lines] : found) all.insert(lines.begin(), lines.end());
  CHECK(all == std::set{7, 8});
}

TEST_CASE("terms: registers, offsets, numbers and operands that commute do not matter") {
  const Terms found = terms(kKernel);
  CHECK(terms(changed(changed(kKernel, "%r", "%q"), "+64", "+128")) == found);
  CHECK(terms(changed(kKernel, ", 12;", ", 20;")) == found);
  CHECK(terms(changed(kKernel, "%r2, %r1;", "%r1, %r2;")) == found);
}

TEST_CASE("terms: repeated instructions are one term") {
  const std::string again = "ld.shared.f32 %f2, [%r3+128];\nst.shared.f32 [%r2+4], %f2;\nret;";
  CHECK(terms(changed(kKernel, "ret;", again)) == terms(kKernel));
}

TEST_CASE("terms: another computation has other terms") {
  const std::set<std::uint64_t> found = keys(terms(kKernel));
  const std::set<std::uint64_t> other = keys(terms(changed(kKernel, "mul.lo", "mul.hi")));
  CHECK(other != found);
  const std::string compare = "setp.lt.s32 %p1, %r1, 3;\n";
  CHECK(keys(terms(changed(kKernel, "st.shared", compare + "@%p1 st.shared"))) !=
        keys(terms(changed(kKernel, "st.shared", compare + "st.shared"))));
}

TEST_CASE("terms: inlined code counts for the line of the call, other files' code for no line") {
  const auto lines = [](const std::string& loc) {
    std::set<int> all;
    for (const auto& [term, of] : terms(changed(kKernel, ".loc 1 8 3", loc)))
      all.insert(of.begin(), of.end());
    return all;
  };
  CHECK(lines(".loc 2 99 1, function_name $L__info_string0, inlined_at 1 7 3") == std::set{7});
  CHECK(lines(".loc 2 99 1") == std::set{0, 7});
}
