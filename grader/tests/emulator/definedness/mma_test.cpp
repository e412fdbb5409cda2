// Which elements of a matrix product depend on an undefined element of A, B or C.
#include "definedness/mma.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

isa::MatrixForm form_of(const std::string& instruction) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<40>;\n"
      ".reg .f32 %f<40>;\n" +
      instruction + "\nret; }");
  const auto form = isa::matrix_form(module.functions[0].instructions[0]);
  REQUIRE(form);
  return *form;
}

// Undefined bytes by register of D and lane, for one undefined register of a lane of an operand.
struct Product {
  Product(const std::string& instruction, std::size_t operand, std::size_t reg, std::size_t lane,
          std::uint16_t bytes, std::size_t registers) {
    std::array<std::vector<emulator::UndefinedRegister>, 3> operands;
    for (auto& each : operands) each.resize(8);
    operands[operand][reg][lane] = {bytes, 7};
    results.resize(registers);
    emulator::find_undefined_mma_elements(form_of(instruction), operands, results);
  }
  // For each register, the lanes with an undefined byte.
  std::vector<std::uint32_t> lanes(std::uint16_t bytes) const {
    std::vector<std::uint32_t> out;
    for (const emulator::UndefinedRegister& each : results) {
      std::uint32_t mask = 0;
      for (std::size_t lane = 0; lane < 32; ++lane)
        mask |= (each[lane].bytes == bytes ? std::uint32_t{1} : 0u) << lane;
      out.push_back(mask);
    }
    return out;
  }
  std::vector<emulator::UndefinedRegister> results;
};

constexpr const char* kSingle =
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
    "{%f1,%f2,%f3,%f4};";
constexpr const char* kHalf =
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r4,%r5}, {%r1,%r2}, {%r3}, {%r6,%r7};";

using Lanes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("undefined products: a row of A") {
  CHECK(Product(kSingle, 0, 0, 9, 0x3, 4).lanes(0xf) == Lanes{0xf00, 0xf00, 0, 0});
  CHECK(Product(kSingle, 0, 1, 9, 0xc, 4).lanes(0xf) == Lanes{0, 0, 0xf00, 0xf00});
  CHECK(Product(kHalf, 0, 1, 9, 0xc, 2).lanes(0xf) == Lanes{0, 0xf00});
}

TEST_CASE("undefined products: a column of B") {
  // Lane 22 holds column 5, which lanes 2, 6, … have as the second of two.
  CHECK(Product(kSingle, 1, 0, 22, 0x3, 4).lanes(0xf) == Lanes{0, 0x44444444, 0, 0x44444444});
  CHECK(Product(kHalf, 1, 0, 22, 0x3, 2).lanes(0xc) == Lanes{0x44444444, 0x44444444});
}

TEST_CASE("undefined products: an element of C") {
  CHECK(Product(kSingle, 2, 3, 22, 0xf, 4).lanes(0xf) == Lanes{0, 0, 0, 1u << 22});
  CHECK(Product(kHalf, 2, 1, 22, 0x3, 2).lanes(0x3) == Lanes{0, 1u << 22});
  CHECK(Product(kSingle, 2, 3, 22, 0xf, 4).results[3][22].read == 7);
}

TEST_CASE("undefined products: wmma, and a form of four matrices") {
  const Product wmma(
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
      "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r9,%r10,%r11,%r12,%r13,%r14,%r15,%r16}, "
      "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
      0, 0, 0, 0x3, 8);
  CHECK(wmma.lanes(0xf) == Lanes{0xf, 0xf, 0, 0, 0xf, 0xf, 0, 0});
  const Product quads(
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2}, "
      "{%r3,%r4}, "
      "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
      0, 0, 4, 0x3, 8);
  for (const std::uint32_t lanes : quads.lanes(0xf)) CHECK((lanes & ~0x00f000f0u) == 0);
}
