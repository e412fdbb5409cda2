#include "fatbin/cubin.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>

#include "fatbin/container.hpp"
#include "fatbin/dwarf_lines.hpp"

namespace warpgrade::fatbin {
namespace {

// Since sm_70 an instruction has 16 bytes. The low 9 bits of its opcode say what it does, the 3 above them
// where its operands come from; bits 9 to 11 of the high word are the width of an access.
constexpr std::size_t kInstruction = 16;
constexpr std::uint64_t kOpcode = 0x1ff, kLoadShared = 0x184, kStoreShared = 0x188;
// The guard of what no lane does, @!PT: before asynchronous copies ptxas puts three such loads.
constexpr std::uint64_t kGuard = 0xf000, kNever = 0xf000;

template <class T>
T read(std::string_view image, std::uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) throw FormatError("the cubin is cut off");
  T value;
  std::memcpy(&value, image.data() + offset, sizeof value);
  return value;
}

class Elf {
 public:
  explicit Elf(std::string_view image) : image_(image) {
    const auto header = read<Elf64_Ehdr>(image, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != EM_CUDA)
      throw FormatError("this is no cubin: make one with nvcc -cubin -lineinfo -arch=sm_90");
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
      throw FormatError("the cubin's list of sections is damaged");
    for (unsigned i = 0; i < header.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(image, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr)));
    names_ = bytes(sections_[header.e_shstrndx]);
  }

  std::size_t count() const { return sections_.size(); }
  std::string_view bytes(std::size_t index) const { return bytes(sections_[index]); }
  std::string_view name(std::size_t index) const {
    const std::uint32_t begin = sections_[index].sh_name;
    if (begin >= names_.size()) throw FormatError("a section of the cubin has no name");
    const std::string_view rest = names_.substr(begin);
    return rest.substr(0, rest.find('\0'));
  }
  // Empty where no section has that name.
  std::string_view find(std::string_view wanted) const {
    for (std::size_t i = 0; i < count(); ++i)
      if (name(i) == wanted) return bytes(i);
    return {};
  }

 private:
  std::string_view bytes(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    if (section.sh_offset > image_.size() || section.sh_size > image_.size() - section.sh_offset)
      throw FormatError("a section of the cubin reaches beyond its end");
    return image_.substr(section.sh_offset, section.sh_size);
  }

  std::string_view image_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

// By offset in .nv_debug_line_sass: the section whose address is to stand there.
std::unordered_map<std::uint64_t, std::uint32_t> relocated(const Elf& elf) {
  std::unordered_map<std::uint64_t, std::uint32_t> sections;
  const std::string_view table = elf.find(".rela.nv_debug_line_sass"), symbols = elf.find(".symtab");
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size(); at += sizeof(Elf64_Rela)) {
    const auto each = read<Elf64_Rela>(table, at);
    const auto symbol = read<Elf64_Sym>(symbols, ELF64_R_SYM(each.r_info) * sizeof(Elf64_Sym));
    sections[each.r_offset] = symbol.st_shndx;
  }
  return sections;
}

unsigned width(std::uint64_t high) {
  constexpr unsigned bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
  return bytes[high >> 9 & 7];
}

std::vector<MachineAccess> accesses(std::string_view code, const Lines& lines) {
  std::vector<MachineAccess> found;
  for (std::uint64_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    const auto low = read<std::uint64_t>(code, at), opcode = low & kOpcode;
    if ((opcode != kLoadShared && opcode != kStoreShared) || (low & kGuard) == kNever) continue;
    found.push_back({opcode == kStoreShared, width(read<std::uint64_t>(code, at + 8)), line_of(lines, at)});
  }
  return found;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Cubin read_cubin(std::string_view image) {
  const Elf elf(image);
  Cubin cubin;
  cubin.ptx = lines_of(elf.find(".nv_debug_ptx_txt"));
  auto lines = read_line_table(elf.find(".nv_debug_line_sass"), relocated(elf));
  constexpr std::string_view kText = ".text.";
  for (std::size_t i = 0; i < elf.count(); ++i) {
    const std::string_view name = elf.name(i);
    if (!name.starts_with(kText)) continue;
    cubin.functions.push_back({std::string(name.substr(kText.size())),
                               accesses(elf.bytes(i), lines[static_cast<std::uint32_t>(i)])});
  }
  return cubin;
}

}  // namespace warpgrade::fatbin
