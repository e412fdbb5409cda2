// Encodings of values in DWARF's sections, and the sections of a program.
#pragma once

#include <cstdint>
#include <string_view>

#include "fatbin/dwarf_bytes.hpp"

namespace warpgrade::emulator {

namespace dwarf {

// How a value is encoded: DW_FORM_… of the DWARF 5 standard, section 7.5.6.
enum Form : std::uint64_t {
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kRefAddr = 0x10,
  kRef1 = 0x11,
  kRef2 = 0x12,
  kRef4 = 0x13,
  kRef8 = 0x14,
  kRefUdata = 0x15,
  kSecOffset = 0x17,
  kExprloc = 0x18,
  kFlagPresent = 0x19,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
  kRefSig8 = 0x20,
  kImplicitConst = 0x21,
};

}  // namespace dwarf

using fatbin::DwarfBytes;

// Sections of a program that was built with -g. Empty where it has none.
struct DwarfSections {
  std::string_view lines, line_strings, strings;  // .debug_line, .debug_line_str, .debug_str
  std::string_view info, abbreviations;           // .debug_info, .debug_abbrev
  std::string_view old_ranges, ranges;            // .debug_ranges, .debug_rnglists
};

inline std::string_view string_at(std::string_view section, std::uint64_t offset) {
  return offset < section.size() ? DwarfBytes(section.substr(offset)).text() : std::string_view();
}

}  // namespace warpgrade::emulator
