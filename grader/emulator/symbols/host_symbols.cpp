#include "symbols/host_symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/mapped_file.hpp"

namespace warpgrade::emulator {
namespace {

bool holds(const Elf64_Sym& symbol, std::uint64_t address) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
         address - symbol.st_value < symbol.st_size;
}

struct SymbolTable {
  std::span<const Elf64_Sym> symbols;
  std::span<const char> names;
  // Null if it lies outside the table of names.
  const char* name_of(const Elf64_Sym& symbol) const {
    return symbol.st_name < names.size() && names.back() == '\0' ? &names[symbol.st_name] : nullptr;
  }
};

std::span<const Elf64_Ehdr> header_of(const MappedFile& file) {
  const auto header = file.list<Elf64_Ehdr>(0, 1);
  const bool known = !header.empty() && std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) == 0 &&
                     header[0].e_ident[EI_CLASS] == ELFCLASS64;
  return known ? header : std::span<const Elf64_Ehdr>();
}

bool is_position_dependent(const MappedFile& file) {
  const auto header = header_of(file);
  return !header.empty() && header[0].e_type == ET_EXEC;
}

std::vector<SymbolTable> symbol_tables(const MappedFile& file, std::uint32_t type) {
  const auto header = header_of(file);
  if (header.empty()) return {};
  std::vector<SymbolTable> out;
  const auto sections = file.list<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != type || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    out.push_back({file.list<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)),
                   file.list<char>(names.sh_offset, names.sh_size)});
  }
  return out;
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
  if (is_position_dependent(file)) base = 0;
  for (const SymbolTable& table : symbol_tables(file, SHT_SYMTAB))
    for (const Elf64_Sym& symbol : table.symbols)
      if (const char* name = table.name_of(symbol); name != nullptr && holds(symbol, address - base))
        return {demangled(name), name, base + symbol.st_value};
  return {};
}

bool imports(const char* path, std::string_view function) {
  const MappedFile file(path);
  for (const SymbolTable& table : symbol_tables(file, SHT_DYNSYM))
    for (const Elf64_Sym& symbol : table.symbols)
      if (const char* name = table.name_of(symbol); name != nullptr && symbol.st_shndx == SHN_UNDEF)
        if (name == function) return true;
  return false;
}

}  // namespace warpgrade::emulator
