// Values of DWARF's sections, from the front of some bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

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

// Reads from the front; after the end it gives zeros, and `failed` says so.
class DwarfBytes {
 public:
  explicit DwarfBytes(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty() || failed; }
  std::size_t left() const { return bytes_.size(); }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) {
      failed = true;
      bytes_ = {};
      return {};
    }
    const std::string_view out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }
  template <class T>
  T read() {
    T value{};
    const std::string_view from = take(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string_view text() {
    const std::string_view out =
        take(bytes_.find('\0') == bytes_.npos ? bytes_.size() + 1 : bytes_.find('\0'));
    take(1);
    return out;
  }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }

  bool failed = false;

 private:
  std::uint64_t leb(bool sign) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !failed; shift += 7) {
      const auto byte = read<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (sign && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      break;
    }
    return value;
  }
  std::string_view bytes_;
};

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
