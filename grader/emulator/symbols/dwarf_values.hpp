// The entries of .debug_info: how one is encoded, and the values of its attributes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbols/dwarf_bytes.hpp"

namespace warpgrade::emulator {

struct DwarfAttribute {
  std::uint64_t name = 0, form = 0;  // DW_AT_…, dwarf::Form
  std::int64_t constant = 0;         // the value itself, of DW_FORM_implicit_const
};

// A row of .debug_abbrev (DWARF 5, section 7.5.3).
struct DwarfAbbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<DwarfAttribute> attributes;
};

// The row that follows its code.
DwarfAbbreviation read_abbreviation(DwarfBytes& in);

struct DwarfValue {
  std::uint64_t number = 0;          // 0 for text and blocks
  std::string_view bytes;            // text or block
  bool is_relative_to_unit = false;  // `number` is an offset in the unit
};

// Fails at forms that neither g++ nor nvcc writes.
DwarfValue read_value(DwarfBytes& in, const DwarfAttribute& of);

}  // namespace warpgrade::emulator
