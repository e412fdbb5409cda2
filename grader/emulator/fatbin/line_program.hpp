// The line number program of DWARF 2 to 5 (section 6.2 of DWARF 5), in cubins and in programs of the host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fatbin/dwarf_bytes.hpp"

namespace warpgrade::fatbin {

// An instruction's address, and where it comes from.
struct LineRow {
  std::uint64_t address = 0, file = 0;
  int line = 0;
};

// What the program needs of its unit's header.
struct LineHeader {
  // `in`: the header from the length of an instruction on; read up to the names of folders.
  LineHeader(DwarfBytes& in, unsigned version);
  LineHeader() = default;
  bool is_possible() const { return line_range != 0 && first_special != 0; }

  std::uint8_t step = 1;  // bytes of one step of an address
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1, first_special = 1;
  std::vector<std::uint8_t> operands;  // number of operands of each standard code, from code 1 on
};

// Executes the codes one by one. The header must be possible.
class LineProgram {
 public:
  enum class LineEvent {
    other,    // row() is not one of the table
    row,      // row() is one
    address,  // row() got an 8-byte address, the last bytes read; a linker may have set it
    end,      // row().address is one past the last instruction of a sequence; then a new one begins
  };
  LineProgram(DwarfBytes codes, LineHeader header) : in_(codes), header_(std::move(header)) {}
  bool done() const { return in_.done(); }
  bool failed() const { return in_.failed; }  // the program is cut off
  std::size_t left() const { return in_.left(); }
  LineEvent next();
  const LineRow& row() const { return row_; }

 private:
  static constexpr LineRow kFirst = {0, 1, 1};
  void advance(std::uint64_t by) { row_.address += by * header_.step; }
  // A hostile table may leave the range of an int: the number wraps around.
  void move_line(std::int64_t by) {
    row_.line = static_cast<int>(static_cast<std::uint64_t>(row_.line) + static_cast<std::uint64_t>(by));
  }
  LineEvent special(std::uint8_t code);
  LineEvent extended();

  DwarfBytes in_;
  LineHeader header_;
  LineRow row_ = kFirst;
  bool has_ended_ = false;
};

}  // namespace warpgrade::fatbin
