// One x86-64 instruction of the host program, as far as its effect on rax and on the flow of control goes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::host_code {

enum class Flow : std::uint8_t { next, jump, branch, call, back };

struct HostInstruction {
  std::size_t length = 0;     // bytes; 0: not known
  bool reads_rax = false;     // reads rax or a part of it, or may do so
  bool replaces_rax = false;  // writes eax without reading rax
  Flow flow = Flow::next;
  std::int64_t distance = 0;  // of a jump or branch: from the end of the instruction
};

// Knows the instructions that compilers use without options for newer processors. Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
HostInstruction decode(const std::uint8_t* at);

}  // namespace warpgrade::host_code
