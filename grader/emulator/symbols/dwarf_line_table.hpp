// DWARF 2 to 5: the source line of each instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fatbin/line_program.hpp"
#include "symbols/dwarf_bytes.hpp"

namespace warpgrade::emulator {

using fatbin::LineRow;

// One unit of .debug_line.
class LineUnit {
 public:
  LineUnit(std::string_view unit, const DwarfSections& all);
  // The row of the instruction that holds the address; line 0 if the unit has none.
  LineRow row_of(std::uint64_t address);
  // A path; empty if there is no such file.
  std::string file(std::uint64_t number) const;

 private:
  struct FileEntry {
    std::string path;
    std::uint64_t directory = 0;
  };
  std::vector<FileEntry> entries(DwarfBytes& in) const;
  void read_old_files(DwarfBytes& in);

  const DwarfSections& all_;
  unsigned version_ = 0;
  bool is_valid_ = false;
  fatbin::LineProgram program_;
  std::vector<std::string> directories_;
  std::vector<FileEntry> files_;
};

}  // namespace warpgrade::emulator
