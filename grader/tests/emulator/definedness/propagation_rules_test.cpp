// Bytes of a result that are undefined, for the undefined bytes of operands.
#include "definedness/propagation_rules.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/flow/def_use.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

struct Known {
  std::uint16_t undefined = 0;
  std::uint64_t value = 0;
};

class Lane : public emulator::LaneOperands {
 public:
  Lane(const ptx::Function& function, const std::map<std::string, Known>& known)
      : function_(function), known_(known) {}
  emulator::Undefined undefined(std::int32_t reg) const override { return {of(reg).undefined, 7}; }
  std::uint64_t value(std::int32_t reg) const override { return of(reg).value; }

 private:
  Known of(std::int32_t reg) const {
    const auto found = known_.find(function_.registers[static_cast<std::size_t>(reg)].name);
    return found == known_.end() ? Known{} : found->second;
  }
  const ptx::Function& function_;
  const std::map<std::string, Known>& known_;
};

// Undefined bytes of each register that the instruction writes.
std::vector<unsigned> results(const std::string& instruction, const std::map<std::string, Known>& known) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<9>; .reg .b16 "
      "%rs<9>;\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n" +
      instruction + " ret; }");
  const ptx::Function& function = module.functions.at(0);
  const ptx::Instruction& first = function.instructions.at(0);
  const emulator::RegistersUsed used = emulator::registers_used(first);
  std::vector<emulator::Undefined> found(used.written.size());
  emulator::propagate_undefined(first, used.read, Lane(function, known), found);
  std::vector<unsigned> bytes;
  for (const emulator::Undefined& each : found) bytes.push_back(each.bytes);
  return bytes;
}
unsigned result(const std::string& instruction, const std::map<std::string, Known>& known) {
  return results(instruction, known).at(0);
}

}  // namespace

TEST_CASE("undefined: arithmetic spreads it, copies keep it in its place") {
  CHECK(result("add.s32 %r3, %r1, %r2;", {{"%r1", {1}}}) == 0xffff);
  CHECK(result("add.s32 %r3, %r1, %r2;", {}) == 0);
  CHECK(result("mov.u32 %r3, %r1;", {{"%r1", {5}}}) == 5);
  CHECK(result("xor.b32 %r3, %r1, %r2;", {{"%r1", {1}}, {"%r2", {4}}}) == 5);
  CHECK(result("mov.b64 %rd1, {%r1, %r2};", {{"%r2", {3}}}) == 0x30);
  CHECK(results("mov.b64 {%r1, %r2}, %rd1;", {{"%rd1", {0x30}}}) == std::vector<unsigned>{0, 3});
}

TEST_CASE("undefined: masks and whole-byte shifts take it away") {
  CHECK(result("and.b32 %r3, %r1, 255;", {{"%r1", {0xe}}}) == 0);
  CHECK(result("and.b32 %r3, %r1, %r2;", {{"%r1", {0xf}}, {"%r2", {0, 0xff00}}}) == 2);
  CHECK(result("and.b32 %r3, %r1, %r2;", {{"%r1", {0xf}}, {"%r2", {1, 0}}}) == 1);
  CHECK(result("or.b32 %r3, %r1, %r2;", {{"%r1", {0xf}}, {"%r2", {0, 0xff}}}) == 0xe);
  CHECK(result("shr.u32 %r3, %r1, 8;", {{"%r1", {1}}}) == 0);
  CHECK(result("shr.u32 %r3, %r1, 4;", {{"%r1", {2}}}) == 3);
  CHECK(result("shl.b32 %r3, %r1, 16;", {{"%r1", {1}}}) == 4);
  CHECK(result("shr.s32 %r3, %r1, 24;", {{"%r1", {8}}}) == 0xf);
  CHECK(result("shr.s32 %r3, %r1, 8;", {{"%r1", {0xc}}}) == 0xe);
  CHECK(result("shr.s32 %r3, %r1, 8;", {{"%r1", {2}}}) == 1);
  CHECK(result("shr.u32 %r3, %r1, %r2;", {{"%r1", {0xe}}, {"%r2", {0, 16}}}) == 3);
  CHECK(result("shr.u32 %r3, %r1, %r2;", {{"%r1", {1}}, {"%r2", {1, 16}}}) == 0xffff);
  CHECK(result("bfe.u32 %r3, %r1, 8, 8;", {{"%r1", {0xd}}}) == 0);
  CHECK(result("bfe.u32 %r3, %r1, 4, 8;", {{"%r1", {2}}}) == 0xffff);
  CHECK(result("prmt.b32 %r3, %r1, %r2, 29728;", {{"%r1", {1}}}) == 1);  // 0x7420
  CHECK(result("cvt.u32.u8 %r3, %r1;", {{"%r1", {2}}}) == 0);
  CHECK(result("cvt.s32.s8 %r3, %r1;", {{"%r1", {1}}}) == 0xffff);
  CHECK(result("cvt.rn.f32.u32 %f1, %r1;", {{"%r1", {8}}}) == 0xffff);
}

TEST_CASE("undefined: operands that decide the result alone, and selected operands") {
  CHECK(result("and.pred %p3, %p1, %p2;", {{"%p1", {1}}, {"%p2", {0, 0}}}) == 0);
  CHECK(result("and.pred %p3, %p1, %p2;", {{"%p1", {1}}, {"%p2", {0, 1}}}) == 1);
  CHECK(result("or.pred %p3, %p1, %p2;", {{"%p1", {0, 1}}, {"%p2", {1}}}) == 0);
  CHECK(result("setp.lt.and.s32 %p3, %r1, %r2, %p1;", {{"%r1", {1}}, {"%p1", {0, 0}}}) == 0);
  CHECK(result("setp.lt.and.s32 %p3, %r1, %r2, !%p1;", {{"%r1", {1}}, {"%p1", {0, 0}}}) == 1);
  CHECK(result("setp.lt.s32 %p3, %r1, %r2;", {{"%r1", {1}}}) == 0xffff);
  CHECK(result("selp.b32 %r3, %r1, %r2, %p1;", {{"%r1", {1}}, {"%p1", {0, 0}}}) == 0);
  CHECK(result("selp.b32 %r3, %r1, %r2, %p1;", {{"%r1", {1}}, {"%p1", {0, 1}}}) == 1);
  CHECK(result("selp.b32 %r3, %r1, %r2, %p1;", {{"%p1", {1, 1}}}) == 0xffff);
}

TEST_CASE("undefined: of a word that an atomic changes bit by bit") {
  const auto merged = [](const char* operation, std::uint64_t operand) {
    const ptx::Module module = ptx::parse(
        std::string(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<9>; .reg "
            ".b64 %rd<9>;\n") +
        operation + " ret; }");
    const ptx::Instruction& first = module.functions.at(0).instructions.at(0);
    REQUIRE(emulator::merges_bits(first));
    const emulator::MergedBytes found = emulator::merged(first, 0xe, operand);
    return std::pair{unsigned{found.kept}, unsigned{found.used}};
  };
  using Pair = std::pair<unsigned, unsigned>;
  CHECK(merged("atom.global.and.b32 %r1, [%rd1], %r2;", 0xff12ff34) == Pair{0xa, 4});
  CHECK(merged("red.global.and.b32 [%rd1], %r2;", 0xff00ffff) == Pair{0xa, 0});
  CHECK(merged("atom.global.or.b32 %r1, [%rd1], %r2;", 0x00ff0100) == Pair{8, 2});
  CHECK(merged("atom.shared.xor.b32 %r1, [%rd1], %r2;", 0x00ff0000) == Pair{0xa, 4});
}

TEST_CASE("undefined: each f32 of a pair by itself") {
  CHECK(result("fma.rn.f32x2 %rd4, %rd1, %rd2, %rd3;", {{"%rd1", {0x01}}}) == 0x0f);
  CHECK(result("fma.rn.f32x2 %rd4, %rd1, %rd2, %rd3;", {{"%rd3", {0xf0}}}) == 0xf0);
  CHECK(result("add.f32x2 %rd4, %rd1, %rd2;", {{"%rd1", {0x0f}}, {"%rd2", {0x80}}}) == 0xff);
}
