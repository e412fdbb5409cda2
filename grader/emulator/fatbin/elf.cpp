#include "fatbin/elf.hpp"

#include <algorithm>

namespace warpgrade::fatbin {
namespace {

// By offset in .nv_debug_line_sass: the section whose address the linker puts there.
std::unordered_map<std::uint64_t, std::uint32_t> relocated_sections(const Elf& elf) {
  std::unordered_map<std::uint64_t, std::uint32_t> sections;
  const std::string_view table = elf.find(".rela.nv_debug_line_sass"), symbols = elf.find(".symtab");
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size(); at += sizeof(Elf64_Rela)) {
    const auto each = read_value<Elf64_Rela>(table, at);
    const auto symbol = read_value<Elf64_Sym>(symbols, ELF64_R_SYM(each.r_info) * sizeof(Elf64_Sym));
    sections[each.r_offset] = symbol.st_shndx;
  }
  return sections;
}

}  // namespace

Elf::Elf(std::string_view image) : image_(image) {
  const auto header = read_value<Elf64_Ehdr>(image, 0);
  architecture_ = cubin_architecture(image);
  if (architecture_ == 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw FormatError("this is not a cubin: make one with nvcc -cubin -lineinfo -arch=sm_90");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    throw FormatError("the cubin's list of sections is damaged");
  for (unsigned i = 0; i < header.e_shnum; ++i)
    sections_.push_back(
        read_value<Elf64_Shdr>(image, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr)));
  table_end_ = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
  names_ = bytes(header.e_shstrndx);
}

std::string_view Elf::name(std::size_t index) const {
  const std::uint32_t begin = sections_[index].sh_name;
  if (begin >= names_.size()) throw FormatError("a section of the cubin has no name");
  const std::string_view rest = names_.substr(begin);
  return rest.substr(0, rest.find('\0'));
}

std::string_view Elf::bytes(std::size_t index) const {
  const Elf64_Shdr& section = sections_[index];
  if (section.sh_type == SHT_NOBITS) return {};
  if (section.sh_offset > image_.size() || section.sh_size > image_.size() - section.sh_offset)
    throw FormatError("a section of the cubin reaches beyond its end");
  return image_.substr(section.sh_offset, section.sh_size);
}

std::string_view Elf::find(std::string_view wanted) const {
  for (std::size_t i = 0; i < count(); ++i)
    if (name(i) == wanted) return bytes(i);
  return {};
}

std::uint64_t Elf::file_bytes() const {
  std::uint64_t end = table_end_;
  for (std::size_t i = 0; i < count(); ++i) {
    const std::string_view content = bytes(i);
    if (!content.empty())
      end = std::max(end, static_cast<std::uint64_t>(content.data() + content.size() - image_.data()));
  }
  return end;
}

int cubin_architecture(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || !bytes.starts_with(ELFMAG)) return 0;
  const auto header = read_value<Elf64_Ehdr>(bytes, 0);
  return header.e_machine == EM_CUDA ? static_cast<int>(header.e_flags >> 8 & 255) : 0;
}

std::unordered_map<std::uint32_t, Lines> read_line_table(const Elf& elf) {
  return read_line_table(elf.find(".nv_debug_line_sass"), relocated_sections(elf));
}

}  // namespace warpgrade::fatbin
