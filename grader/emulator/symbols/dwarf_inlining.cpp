#include "symbols/dwarf_inlining.hpp"

#include <unordered_map>

#include "symbols/dwarf_values.hpp"

namespace warpgrade::emulator {
namespace {

// DWARF 5, sections 7.5.3 to 7.5.6 and 7.25.
enum Tag : std::uint64_t { kCompileUnit = 0x11, kInlinedSubroutine = 0x1d, kSkeletonUnit = 0x4a };
enum Attribute : std::uint64_t {
  kLowPc = 0x11,
  kHighPc = 0x12,
  kRanges = 0x55,
  kCallFile = 0x58,
  kCallLine = 0x59,
};
enum Range : std::uint8_t { kEnd = 0, kOffsetPair = 4, kBaseAddress = 5, kStartEnd = 6, kStartLength = 7 };

using Abbreviations = std::unordered_map<std::uint64_t, DwarfAbbreviation>;

Abbreviations read_abbreviations(std::string_view section, std::uint64_t offset) {
  Abbreviations out;
  if (offset >= section.size()) return out;
  DwarfBytes in(section.substr(offset));
  for (std::uint64_t code = in.unsigned_leb(); code != 0 && !in.failed; code = in.unsigned_leb())
    out[code] = read_abbreviation(in);
  return out;
}

// What an entry says of its place.
struct Entry {
  std::uint64_t low = 0, high = 0, ranges = 0;
  bool has_low = false, has_ranges = false;
  InlinedCall call;
};

Entry read_entry(DwarfBytes& in, const DwarfAbbreviation& how) {
  Entry out;
  bool is_size = false;
  for (const DwarfAttribute& each : how.attributes) {
    const std::uint64_t value = read_value(in, each).number;
    if (each.name == kLowPc) out.low = value, out.has_low = true;
    if (each.name == kHighPc) out.high = value, is_size = each.form != dwarf::kAddr;
    if (each.name == kRanges) out.ranges = value, out.has_ranges = true;
    if (each.name == kCallFile) out.call.file = value;
    if (each.name == kCallLine) out.call.line = static_cast<int>(value);
  }
  if (is_size) out.high += out.low;
  return out;
}

bool holds_in_old_ranges(std::string_view section, std::uint64_t offset, std::uint64_t base,
                         std::uint64_t address) {
  if (offset >= section.size()) return false;
  for (DwarfBytes in(section.substr(offset)); !in.done();) {
    const auto begin = in.read<std::uint64_t>(), end = in.read<std::uint64_t>();
    if (begin == 0 && end == 0) return false;
    if (begin == ~std::uint64_t{0})
      base = end;
    else if (base + begin <= address && address < base + end)
      return true;
  }
  return false;
}

bool holds_in_ranges(std::string_view section, std::uint64_t offset, std::uint64_t base,
                     std::uint64_t address) {
  if (offset >= section.size()) return false;
  for (DwarfBytes in(section.substr(offset)); !in.done();) {
    std::uint64_t begin = 0, end = 0;
    switch (in.read<std::uint8_t>()) {
      case kOffsetPair:
        begin = base + in.unsigned_leb();
        end = base + in.unsigned_leb();
        break;
      case kBaseAddress:
        base = in.read<std::uint64_t>();
        break;
      case kStartEnd:
        begin = in.read<std::uint64_t>();
        end = in.read<std::uint64_t>();
        break;
      case kStartLength:
        begin = in.read<std::uint64_t>();
        end = begin + in.unsigned_leb();
        break;
      default:  // the end, or an index into tables that GCC does not write
        return false;
    }
    if (begin <= address && address < end) return true;
  }
  return false;
}

class Unit {
 public:
  Unit(DwarfBytes in, const DwarfSections& all, std::uint64_t address)
      : in_(in), all_(all), address_(address), version_(in_.read<std::uint16_t>()) {}

  std::vector<InlinedCall> calls() {
    constexpr std::uint8_t kWhole = 1;  // DW_UT_compile
    const std::uint8_t kind = version_ >= 5 ? in_.read<std::uint8_t>() : kWhole;
    if (version_ >= 5) in_.take(1);  // size of an address
    const Abbreviations how = read_abbreviations(all_.abbreviations, in_.read<std::uint32_t>());
    if (version_ < 5) in_.take(1);
    std::vector<InlinedCall> out;
    for (bool first = version_ >= 2 && version_ <= 5 && kind == kWhole; !in_.done(); first = false) {
      const std::uint64_t code = in_.unsigned_leb();
      if (code == 0) continue;
      const auto found = how.find(code);
      if (found == how.end()) break;
      const Entry entry = read_entry(in_, found->second);
      if (found->second.tag == kCompileUnit) {
        base_ = entry.low;
        if (!first || !holds(entry)) break;
      }
      if (found->second.tag == kInlinedSubroutine && holds(entry)) out.push_back(entry.call);
    }
    return out;
  }

 private:
  bool holds(const Entry& entry) const {
    if (entry.has_ranges)
      return version_ >= 5 ? holds_in_ranges(all_.ranges, entry.ranges, base_, address_)
                           : holds_in_old_ranges(all_.old_ranges, entry.ranges, base_, address_);
    return entry.has_low && entry.low <= address_ && address_ < entry.high;
  }

  DwarfBytes in_;
  const DwarfSections& all_;
  std::uint64_t address_, base_ = 0;
  std::uint16_t version_;
};

}  // namespace

std::vector<InlinedCall> inlined_calls(const DwarfSections& sections, std::uint64_t address) {
  for (DwarfBytes in(sections.info); !in.done();) {
    Unit unit(DwarfBytes(in.take(in.read<std::uint32_t>())), sections, address);
    if (std::vector<InlinedCall> found = unit.calls(); !found.empty()) return found;
  }
  return {};
}

}  // namespace warpgrade::emulator
