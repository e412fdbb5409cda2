#include "isa/operands.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

// Hands out slots 100·(register index + 1); immediates get 7, scratch 9. Records what was asked for.
class Decoder : public emulator::DecodeContext {
 public:
  explicit Decoder(ptx::Module module) : module_(std::move(module)) {}
  const ptx::Function& function() const override { return module_.functions.at(0); }
  const ptx::Module& module() const override { return module_; }
  std::uint32_t slot(const ptx::Operand& operand, ptx::Type type) override {
    asked.push_back(type);
    CHECK_FALSE(operand.negated);
    CHECK(operand.second == -1);
    if (operand.kind == ptx::Operand::Kind::sink) return emulator::kNoOperand;
    if (operand.kind != ptx::Operand::Kind::reg) return 7;
    return 100 * static_cast<std::uint32_t>(operand.reg + 1);
  }
  ptx::Type declared(const ptx::Operand&, ptx::Type otherwise) const override { return otherwise; }
  std::uint32_t constant(std::uint64_t, ptx::Type) override { return 8; }
  std::uint32_t scratch(ptx::Type) override { return 9; }
  std::uint8_t load_uses() const override { return 0; }
  void keep(std::shared_ptr<const void>) override {}
  Symbol symbol(const std::string&, ptx::TextPosition) override { return {}; }
  [[noreturn]] void unsupported(const ptx::Instruction& at, const std::string& why) override {
    throw std::runtime_error(at.form() + ": " + why);
  }

  std::vector<ptx::Type> asked;

 private:
  ptx::Module module_;
};

struct Decoded {
  emulator::DecodedInstruction to;
  std::vector<ptx::Type> asked;
  std::vector<std::uint32_t> slots(std::size_t count) const { return {to.operand, to.operand + count}; }
};

// Registers in order: p1 p2 p3 = 100 200 300, r1 r2 r3 r4 = 400 … 700, d1 = 800, f1 f2 = 900 1000.
Decoded decode(const std::string& text) {
  Decoder decoder(
      ptx::parse(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                 ".reg .pred %p1, %p2, %p3; .reg .b32 %r1, %r2, %r3, %r4; .reg .b64 %d1;\n"
                 ".reg .f32 %f1, %f2;\n" +
                 text + "\nret;\n}\n"));
  const ptx::Instruction& from = decoder.function().instructions.at(0);
  const isa::Operation* row = isa::find(from, decoder.function());
  REQUIRE(row != nullptr);
  Decoded decoded;
  isa::decode_operands(from, *row, decoder, decoded.to);
  CHECK((decoded.to.handler == row->handler));
  decoded.asked = decoder.asked;
  return decoded;
}
using Slots = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("operands in the order written, with the row's types") {
  const Decoded add = decode("add.s32 %r1, %r2, 5;");
  CHECK(add.slots(3) == Slots{400, 500, 7});
  CHECK(add.asked == std::vector{ptx::Type::s32, ptx::Type::s32, ptx::Type::s32});
  CHECK(add.to.operand[3] == emulator::kNoOperand);
  CHECK(decode("mul.wide.s32 %d1, %r1, %r2;").asked[0] == ptx::Type::s64);
}

TEST_CASE("vectors are flattened, a sink gets a scratch slot") {
  CHECK(decode("mov.b64 %d1, {%r1, %r2};").slots(3) == Slots{800, 400, 500});
  CHECK(decode("mov.b64 {%r1, %r2}, %d1;").slots(3) == Slots{400, 500, 800});
  CHECK(decode("mov.b64 {_, %r2}, %d1;").slots(3) == Slots{9, 500, 800});
}

TEST_CASE("setp always has its second predicate's place") {
  CHECK(decode("setp.lt.s32 %p1, %r1, %r2;").slots(4) == Slots{100, emulator::kNoOperand, 400, 500});
  CHECK(decode("setp.lt.s32 %p1|%p2, %r1, %r2;").slots(4) == Slots{100, 200, 400, 500});
  CHECK(decode("setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;").slots(5) == Slots{100, 200, 400, 500, 300});
}

TEST_CASE("a negated predicate goes through the immediate") {
  CHECK(decode("setp.lt.and.s32 %p1, %r1, %r2, %p3;").to.immediate == 0);
  const Decoded negated = decode("setp.lt.and.s32 %p1, %r1, %r2, !%p3;");
  CHECK(negated.to.immediate == 0xffffffff);
  CHECK(negated.slots(5) == Slots{100, emulator::kNoOperand, 400, 500, 300});
}

TEST_CASE("a wrong number of operands is refused") {
  CHECK_THROWS_WITH(decode("add.s32 %r1, %r2;"), "add.s32: it has 2 operands, the form takes 3");
}
