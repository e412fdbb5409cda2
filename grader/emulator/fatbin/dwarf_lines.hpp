// A DWARF 2 line table → the line of each address.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpgrade::fatbin {

// Maps an address to the source line of the instructions from it to the next entry.
using Lines = std::map<std::uint64_t, int>;

// By section index. An address operand of the table is what `section_at` says for its offset in `table`.
// Throws FormatError where the table is cut off.
std::unordered_map<std::uint32_t, Lines> read_line_table(
    std::string_view table, const std::unordered_map<std::uint64_t, std::uint32_t>& section_at);

// 0 if the table says nothing of it.
int line_of(const Lines& lines, std::uint64_t address);

}  // namespace warpgrade::fatbin
