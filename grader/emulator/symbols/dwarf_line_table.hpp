// DWARF 2 to 5: the source line of each instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/dwarf_bytes.hpp"

namespace warpgrade::emulator {

struct LineRow {
  std::uint64_t address = 0, file = 0;
  int line = 0;
};

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
  bool step(LineRow& row, std::vector<LineRow>& rows);
  void advance(LineRow& row, std::uint64_t by) const { row.address += by * step_; }

  DwarfBytes in_;
  const DwarfSections& all_;
  unsigned version_ = 0;
  bool is_valid_ = false;
  std::uint8_t step_ = 1, line_range_ = 1, first_special_ = 1;
  std::int8_t line_base_ = 0;
  std::vector<std::uint8_t> operands_;  // number of operands of each standard code, from code 1 on
  std::vector<std::string> directories_;
  std::vector<FileEntry> files_;
};

}  // namespace warpgrade::emulator
