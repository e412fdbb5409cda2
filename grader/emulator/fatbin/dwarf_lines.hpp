// Line tables of cubins (DWARF 2): the source line of each address.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

namespace warpgrade::fatbin {

// Key: the address of an instruction. Value: the source line of the instructions from there up to the next
// key.
using Lines = std::map<std::uint64_t, int>;

// The lines of each section, by section index. `section_at`: the section that the linker's relocation names
// for an address operand, by the operand's offset in `table`. Throws FormatError if the table is cut off.
std::unordered_map<std::uint32_t, Lines> read_line_table(
    std::string_view table, const std::unordered_map<std::uint64_t, std::uint32_t>& section_at);

// The line of an address, 0 if the table has none.
int line_of(const Lines& lines, std::uint64_t address);

}  // namespace warpgrade::fatbin
