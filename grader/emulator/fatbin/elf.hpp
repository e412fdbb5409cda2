// A cubin as an ELF file: its sections, and the line table of its machine code.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fatbin/container.hpp"
#include "fatbin/dwarf_lines.hpp"

namespace warpgrade::fatbin {

// Throws FormatError if `bytes` ends before the value.
template <class T>
T read_value(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw FormatError("the cubin is cut off");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Sections of a cubin. Views `image`. All functions throw FormatError where an offset or a size lies beyond
// it.
class Elf {
 public:
  explicit Elf(std::string_view image);

  int architecture() const { return architecture_; }  // 90 for sm_90
  std::size_t count() const { return sections_.size(); }
  const Elf64_Shdr& header(std::size_t index) const { return sections_[index]; }
  std::string_view name(std::size_t index) const;
  std::string_view bytes(std::size_t index) const;     // empty for a section that the file does not hold
  std::string_view find(std::string_view name) const;  // bytes of the first section of that name, else empty
  std::uint64_t file_bytes() const;  // up to the end of the last section and of the table of sections

 private:
  std::string_view image_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
  std::uint64_t table_end_ = 0;
  int architecture_ = 0;
};

// Architecture of the cubin that begins with these bytes, 90 for sm_90; 0 if no cubin begins there.
int cubin_architecture(std::string_view bytes);

// Lines of the PTX text that the machine code comes from (-lineinfo), by number of the section of code.
std::unordered_map<std::uint32_t, Lines> read_line_table(const Elf& elf);

}  // namespace warpgrade::fatbin
