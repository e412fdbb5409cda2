#include "fatbin/cubin.hpp"

#include <algorithm>
#include <cstdint>

#include "fatbin/dwarf_lines.hpp"
#include "fatbin/elf.hpp"
#include "fatbin/sass_encoding.hpp"

namespace warpgrade::fatbin {
namespace {

constexpr std::uint64_t kLoadShared = 0x184, kStoreShared = 0x188;

// Bits 9 to 11 of the high word.
unsigned width(std::uint64_t high) {
  constexpr unsigned bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
  return bytes[high >> 9 & 7];
}

std::vector<MachineAccess> accesses(std::string_view code, const Lines& lines) {
  std::vector<MachineAccess> found;
  for (std::uint64_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    const auto low = read_value<std::uint64_t>(code, at), opcode = low & kOpcode;
    if ((opcode != kLoadShared && opcode != kStoreShared) || (low & kGuard) == kNever) continue;
    found.push_back(
        {opcode == kStoreShared, width(read_value<std::uint64_t>(code, at + 8)), line_of(lines, at)});
  }
  return found;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Cubin read_cubin(std::string_view image) {
  const Elf elf(image);
  Cubin cubin;
  cubin.ptx = lines_of(elf.find(".nv_debug_ptx_txt"));
  auto lines = read_line_table(elf);
  constexpr std::string_view kText = ".text.";
  for (std::size_t i = 0; i < elf.count(); ++i) {
    const std::string_view name = elf.name(i);
    if (!name.starts_with(kText)) continue;
    cubin.functions.push_back({std::string(name.substr(kText.size())),
                               accesses(elf.bytes(i), lines[static_cast<std::uint32_t>(i)])});
  }
  return cubin;
}

}  // namespace warpgrade::fatbin
