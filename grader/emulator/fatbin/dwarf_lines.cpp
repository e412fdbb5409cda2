#include "fatbin/dwarf_lines.hpp"

#include "fatbin/container.hpp"
#include "fatbin/line_program.hpp"

namespace warpgrade::fatbin {
namespace {

using SectionAt = std::unordered_map<std::uint64_t, std::uint32_t>;
using LinesOfSections = std::unordered_map<std::uint32_t, Lines>;

[[noreturn]] void refuse(const char* why) { throw FormatError(std::string("the cubin's line table ") + why); }

// `end`: the offset of the program's end in the table.
void run(LineProgram program, std::size_t end, const SectionAt& section_at, LinesOfSections& out) {
  auto section = section_at.end();  // none before an address is set, nor where the linker names none
  while (!program.done()) {
    switch (program.next()) {
      case LineProgram::LineEvent::row:
        if (section != section_at.end()) out[section->second][program.row().address] = program.row().line;
        break;
      case LineProgram::LineEvent::address:
        section = section_at.find(end - program.left() - sizeof program.row().address);
        break;
      case LineProgram::LineEvent::end:
        section = section_at.end();
        break;
      case LineProgram::LineEvent::other:
        break;
    }
  }
  if (program.failed()) refuse("is cut off");
}

// The front of a unit, up to its line number program.
LineHeader read_header(DwarfBytes& in, unsigned version) {
  DwarfBytes front(in.take(in.read<std::uint32_t>()));
  if (in.failed) refuse("is cut off");
  LineHeader header(front, version);
  if (front.failed || !header.is_possible()) refuse("has an impossible header");
  return header;
}

}  // namespace

LinesOfSections read_line_table(std::string_view table, const SectionAt& section_at) {
  LinesOfSections found;
  for (DwarfBytes units(table); !units.done();) {
    DwarfBytes in(units.take(units.read<std::uint32_t>()));
    if (units.failed) refuse("is cut off");
    const auto version = in.read<std::uint16_t>();
    if (!in.failed && version != 2) continue;  // another version: not what this toolkit writes
    LineHeader header = read_header(in, version);
    run(LineProgram(in, std::move(header)), table.size() - units.left(), section_at, found);
  }
  return found;
}

int line_of(const Lines& lines, std::uint64_t address) {
  auto behind = lines.upper_bound(address);
  return behind == lines.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace warpgrade::fatbin
