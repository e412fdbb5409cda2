#include "symbols/host_symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "symbols/mapped_file.hpp"

namespace warpgrade::emulator {
namespace {

bool holds(const Elf64_Sym& symbol, std::uint64_t address) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
         address - symbol.st_value < symbol.st_size;
}

}  // namespace

std::string demangled(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) return name;  // "d" would become "double"
  int status = 0;
  char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = readable != nullptr ? readable : name;
  std::free(readable);
  return out;
}

HostSymbol find_host_symbol(const char* path, std::uint64_t base, std::uint64_t address) {
  const MappedFile file(path);
  const auto header = file.list<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  if (header[0].e_type == ET_EXEC) base = 0;
  const auto sections = file.list<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    const auto text = file.list<char>(names.sh_offset, names.sh_size);
    for (const Elf64_Sym& symbol :
         file.list<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)))
      if (holds(symbol, address - base) && symbol.st_name < text.size() && text.back() == '\0')
        return {demangled(&text[symbol.st_name]), &text[symbol.st_name], base + symbol.st_value};
  }
  return {};
}

}  // namespace warpgrade::emulator
