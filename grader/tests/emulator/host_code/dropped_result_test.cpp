#include "host_code/dropped_result.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "host_code/instruction.hpp"

using namespace warpgrade::host_code;

namespace {

using Code = std::vector<std::uint8_t>;

#ifdef __x86_64__
// Whether code behind a call drops its result; `around`: behind the call of the function around it.
bool drops(Code code, Code around = {}) {
  code.resize(code.size() + 16, 0xcc);  // what is read beyond the end is no instruction
  around.resize(around.size() + 16, 0xcc);
  return drops_result({code.data(), around.data()});
}
#endif

}  // namespace

#ifdef __x86_64__
TEST_CASE("a result is dropped where eax is overwritten or the next call is made") {
  CHECK(drops({0xb8, 0, 0, 0, 0}));                          // mov eax, 0
  CHECK(drops({0x31, 0xc0}));                                // xor eax, eax
  CHECK(drops({0x48, 0x8b, 0x45, 0xf8}));                    // mov rax, [rbp-8]
  CHECK(drops({0x48, 0x8d, 0x44, 0x24, 0x08}));              // lea rax, [rsp+8]
  CHECK(drops({0x48, 0x89, 0xdf, 0xe8, 0, 0, 0, 0}));        // mov rdi, rbx; call
  CHECK(drops({0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 0, 0, 0, 0}));  // endbr64; call
  CHECK(drops(
      {0x66, 0x0f, 0xef, 0xc0, 0xf2, 0x0f, 0x2a, 0xc3, 0xff, 0x15, 0, 0, 0, 0}));  // pxor; cvtsi2sd; call
  CHECK(drops({0x0f, 0xb6, 0x44, 0x24, 0x07}));                                    // movzx eax, byte [rsp+7]
}

TEST_CASE("a result is used where eax is tested, moved, stored or handed on") {
  CHECK_FALSE(drops({0x85, 0xc0, 0x74, 0x00}));              // test eax, eax
  CHECK_FALSE(drops({0x89, 0xc7, 0xe8, 0, 0, 0, 0}));        // mov edi, eax; call
  CHECK_FALSE(drops({0x89, 0x45, 0xfc, 0xb8, 0, 0, 0, 0}));  // mov [rbp-4], eax
  CHECK_FALSE(drops({0x48, 0x8b, 0x04, 0xc3}));              // mov rax, [rbx+rax*8]
  CHECK_FALSE(drops({0x83, 0xf8, 0x02}));                    // cmp eax, 2
  CHECK_FALSE(drops({0x3d, 0x58, 0x02, 0, 0}));              // cmp eax, 600
  CHECK_FALSE(drops({0xf7, 0xf1}));                          // div ecx
  CHECK_FALSE(drops({0x48, 0x98}));                          // cdqe
}

TEST_CASE("a result is dropped where it is on every path") {
  // je +7; mov eax, 0; jmp +2; test eax, eax; (both lead to) ret
  CHECK_FALSE(drops({0x74, 0x07, 0xb8, 0, 0, 0, 0, 0xeb, 0x02, 0x85, 0xc0, 0xc3}));
  // je +5; mov eax, 0; xor eax, eax
  CHECK(drops({0x74, 0x05, 0xb8, 0, 0, 0, 0, 0x31, 0xc0}));
  CHECK(drops({0xeb, 0xfe}));  // jumps to itself: nobody looks
}

TEST_CASE("a function that returns hands the result on to its caller") {
  const Code returns = {0xc9, 0xc3};  // leave; ret
  CHECK(drops(returns, {0xb8, 0, 0, 0, 0}));
  CHECK_FALSE(drops(returns, {0x85, 0xc0}));
}

TEST_CASE("what is not known counts as used") {
  CHECK_FALSE(drops({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x00}));  // EVEX
  CHECK_FALSE(drops({0xcc}));
  CHECK_FALSE(drops({0xff, 0xe2}));  // jmp rdx
  CHECK_FALSE(drops_result({}));
}

TEST_CASE("an instruction has its length") {
  const auto length = [](Code code) {
    code.resize(code.size() + 16, 0xcc);
    return decode(code.data()).length;
  };
  CHECK(length({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}) == 10);        // movabs
  CHECK(length({0x66, 0xc7, 0x45, 0xfe, 1, 0}) == 6);               // mov word [rbp-2], 1
  CHECK(length({0xc7, 0x84, 0x24, 1, 0, 0, 0, 2, 0, 0, 0}) == 11);  // mov dword [rsp+1], 2
  CHECK(length({0x48, 0x8b, 0x05, 1, 0, 0, 0}) == 7);               // mov rax, [rip+1]
  CHECK(length({0x8b, 0x04, 0x25, 1, 0, 0, 0}) == 7);               // mov eax, [1]
  CHECK(length({0x41, 0xff, 0xd4}) == 3);                           // call r12
  CHECK(length({0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}) == 9);      // nop
  CHECK(length({0xf6, 0x45, 0x10, 0x01}) == 4);                     // test byte [rbp+16], 1
  CHECK(length({0xf7, 0xd8}) == 2);                                 // neg eax
  CHECK(length({0x0f, 0x84, 0, 0, 0, 0}) == 6);                     // je
  CHECK(length({0x0f, 0xc6, 0xc0, 0x55}) == 4);                     // shufps
}
#endif
