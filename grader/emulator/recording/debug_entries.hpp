// The entries of .debug_info in a build with -G: types, scopes and variables, each with its attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/tree/module.hpp"
#include "symbols/dwarf_values.hpp"

namespace warpgrade::emulator {

// DWARF 2 and 3, chapter 7.5: the tags and attributes that nvcc writes for variables.
namespace debug {
enum Tag : std::uint64_t {
  kArray = 0x01,
  kFormalParameter = 0x05,
  kLexicalBlock = 0x0b,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kStructure = 0x13,
  kInheritance = 0x1c,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInlined = 0x1d,
  kClass = 0x02,
  kSubrange = 0x21,
  kBase = 0x24,
  kConst = 0x26,
  kEnumeration = 0x04,
  kSubprogram = 0x2e,
  kVariable = 0x34,
  kVolatile = 0x35,
  kRvalueReference = 0x42,
  kRestrict = 0x37,
};
enum Attribute : std::uint64_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kUpperBound = 0x2f,
  kMemberLocation = 0x38,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kLine = 0x3b,
  kEncoding = 0x3e,
  kSpecification = 0x47,
  kType = 0x49,
  kArtificial = 0x34,
};
}  // namespace debug

// Bytes of a section, and the symbols among them. Offsets count from the section's start.
class DebugReader {
 public:
  DebugReader(const ptx::DebugSection& section, std::size_t from, std::size_t end)
      : section_(section), bytes_(std::string_view(section.content).substr(from, end - from)), end_(end) {}
  DwarfBytes& bytes() { return bytes_; }
  std::size_t offset() const { return end_ - bytes_.left(); }
  // The symbol that takes the place of a number here; null if there is none.
  const ptx::DebugSection::Reference* reference() const;

 private:
  const ptx::DebugSection& section_;
  DwarfBytes bytes_;
  std::size_t end_;
};

struct DebugAttribute {
  std::uint64_t form = 0, number = 0;
  std::string_view block;
  std::size_t at = 0;  // offset of the block in .debug_info
  const ptx::DebugSection::Reference* reference = nullptr;
};

struct DebugEntry {
  std::uint64_t tag = 0;
  std::size_t offset = 0, parent = 0;  // parent: index of an entry; itself at the top
  std::map<std::uint64_t, DebugAttribute> values;
  const DebugAttribute* find(std::uint64_t attribute) const {
    const auto found = values.find(attribute);
    return found == values.end() ? nullptr : &found->second;
  }
};

// An instruction that a label names.
struct DebugLabel {
  std::int32_t function = -1;  // in ptx::Module::functions
  std::uint32_t instruction = 0;
};

class DebugEntries {
 public:
  // None without debug information.
  explicit DebugEntries(const ptx::Module& module);

  const std::vector<DebugEntry>& all() const { return entries_; }
  std::size_t index_of(const DebugEntry& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }
  const ptx::DebugSection* section(const char* name) const;
  // The entry that the value names; null without one.
  const DebugEntry* at_reference(const DebugAttribute* value) const;
  // The attribute of the entry, or of its abstract origin.
  const DebugAttribute* attribute(const DebugEntry& entry, std::uint64_t which) const;
  std::uint64_t number(const DebugEntry& entry, std::uint64_t which) const;
  std::string text(const DebugAttribute* value) const;
  std::optional<DebugLabel> label(const ptx::DebugSection::Reference* reference) const;
  // Where in the section the value points: its number, or a label with an addend.
  static std::size_t offset_in(const ptx::DebugSection& section, const DebugAttribute& value);

 private:
  void read_abbreviations(const ptx::DebugSection& section);
  void read_units(const ptx::DebugSection& info);
  void read_entries(const ptx::DebugSection& info, std::size_t unit, std::size_t from, std::size_t end);

  const ptx::Module& module_;
  std::unordered_map<std::string, DebugLabel> labels_;
  std::unordered_map<std::uint64_t, DwarfAbbreviation> abbreviations_;
  std::vector<DebugEntry> entries_;
  std::unordered_map<std::size_t, std::size_t> by_offset_;  // → index
};

}  // namespace warpgrade::emulator
