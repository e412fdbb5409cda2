#include "host_code/instruction.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

using namespace warpgrade::host_code;

namespace {

HostInstruction decoded(std::initializer_list<std::uint8_t> bytes) {
  std::uint8_t text[16] = {};
  std::copy(bytes.begin(), bytes.end(), text);
  return decode(text);
}

}  // namespace

TEST_CASE("a host instruction's length, and what it does to rax") {
  struct Row {
    const char* assembly;
    std::initializer_list<std::uint8_t> bytes;
    bool reads, replaces;
  };
  const Row rows[] = {
      {"mov rbx, rax", {0x48, 0x89, 0xc3}, true, false},
      {"mov eax, ebx", {0x89, 0xd8}, false, true},
      {"mov eax, [rax]", {0x8b, 0x00}, true, false},
      {"mov eax, 5", {0xb8, 5, 0, 0, 0}, false, true},
      {"mov dword [rbp-8], 5", {0xc7, 0x45, 0xf8, 5, 0, 0, 0}, false, false},
      {"mov byte [rbp-8], 5", {0xc6, 0x45, 0xf8, 5}, false, false},
      {"xor eax, eax", {0x31, 0xc0}, false, true},
      {"add eax, ebx", {0x01, 0xd8}, true, false},
      {"cmp ax, 0x1234", {0x66, 0x81, 0xf8, 0x34, 0x12}, true, false},
      {"shl eax, 3", {0xc1, 0xe0, 3}, true, false},
      {"shl ecx, 1", {0xd1, 0xe1}, false, false},
      {"imul eax, ecx, 300", {0x69, 0xc1, 0x2c, 1, 0, 0}, false, true},
      {"imul eax, ecx, 3", {0x6b, 0xc1, 3}, false, true},
      {"lea rax, [rdi+8]", {0x48, 0x8d, 0x47, 8}, false, true},
      {"movsxd rax, ecx", {0x48, 0x63, 0xc1}, false, true},
      {"test al, al", {0x84, 0xc0}, true, false},
      {"mov ah, cl", {0x88, 0xcc}, false, true},
      {"push rax", {0x50}, true, false},
      {"pop rax", {0x58}, false, true},
      {"push r8", {0x41, 0x50}, false, false},
      {"movzx eax, cl", {0x0f, 0xb6, 0xc1}, false, true},
      {"movzx eax, al", {0x0f, 0xb6, 0xc0}, true, false},
      {"sete al", {0x0f, 0x94, 0xc0}, false, true},
      {"cmovne eax, ecx", {0x0f, 0x45, 0xc1}, true, false},
      {"popcnt eax, ecx", {0xf3, 0x0f, 0xb8, 0xc1}, false, true},
      {"bt eax, 3", {0x0f, 0xba, 0xe0, 3}, true, false},
      {"cvtsi2ss xmm0, eax", {0xf3, 0x0f, 0x2a, 0xc0}, true, false},
      {"cvttss2si eax, xmm1", {0xf3, 0x0f, 0x2c, 0xc1}, false, true},
      {"movd eax, xmm0", {0x66, 0x0f, 0x7e, 0xc0}, false, true},
      {"movq xmm0, xmm0", {0xf3, 0x0f, 0x7e, 0xc0}, false, false},
      {"shufps xmm0, xmm0, 1", {0x0f, 0xc6, 0xc0, 1}, false, false},
      {"pmovmskb eax, xmm0", {0x66, 0x0f, 0xd7, 0xc0}, false, true},
      {"addps xmm0, xmm0", {0x0f, 0x58, 0xc0}, false, false},
      {"nop dword [rax+rax]", {0x0f, 0x1f, 0x44, 0, 0}, false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.assembly);
    const HostInstruction made = decoded(row.bytes);
    CHECK(made.length == row.bytes.size());
    CHECK(made.reads_rax == row.reads);
    CHECK(made.replaces_rax == row.replaces);
    CHECK(made.flow == Flow::next);
  }
}

TEST_CASE("a host instruction's jump is counted from its end") {
  const HostInstruction near = decoded({0x75, 0xfe}), far = decoded({0x0f, 0x84, 0, 1, 0, 0});
  CHECK(near.flow == Flow::branch);
  CHECK(near.distance == -2);
  CHECK(far.flow == Flow::branch);
  CHECK(far.distance == 256);
  CHECK(decoded({0xe8, 1, 0, 0, 0}).flow == Flow::call);
  CHECK(decoded({0xff, 0xd0}).flow == Flow::call);
  CHECK(decoded({0xeb, 3}).distance == 3);
  CHECK(decoded({0xc3}).flow == Flow::back);
  CHECK(decoded({0xc2, 8, 0}).length == 3);
}

TEST_CASE("a host instruction that is not known has no length") {
  CHECK(decoded({0x0f, 0x05}).length == 0);  // syscall
  CHECK(decoded({0x62}).length == 0);        // EVEX
  CHECK(decoded({0xff, 0xe0}).length == 0);  // a jump to rax
}
