#include "symbols/host_lines.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "ptx/tree/toolkit_file.hpp"
#include "symbols/dwarf_inlining.hpp"
#include "symbols/dwarf_line_table.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/mapped_file.hpp"

namespace warpgrade::emulator {
namespace {

DwarfSections sections_of(const MappedFile& file, const Elf64_Ehdr& header) {
  DwarfSections out;
  const std::pair<std::string_view, std::string_view*> wanted[] = {
      {".debug_line", &out.lines},           {".debug_line_str", &out.line_strings},
      {".debug_str", &out.strings},          {".debug_info", &out.info},
      {".debug_abbrev", &out.abbreviations}, {".debug_ranges", &out.old_ranges},
      {".debug_rnglists", &out.ranges},
  };
  const auto sections = file.list<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  if (header.e_shstrndx >= sections.size()) return out;
  const auto content = [&](const Elf64_Shdr& of) {
    const auto bytes = file.list<char>(of.sh_offset, (of.sh_flags & SHF_COMPRESSED) != 0 ? 0 : of.sh_size);
    return std::string_view(bytes.data(), bytes.size());
  };
  const std::string_view names = content(sections[header.e_shstrndx]);
  for (const Elf64_Shdr& each : sections)
    for (const auto& [name, to] : wanted)
      if (each.sh_type != SHT_NOBITS && string_at(names, each.sh_name) == name) *to = content(each);
  return out;
}

// Not in a header of the toolkit or of the system.
bool is_own(std::string_view file) {
  return !file.empty() && !ptx::is_toolkit_file(file) && !file.starts_with("/usr/include/") &&
         !file.starts_with("/usr/lib/");
}

// The innermost place in the program's own files.
HostLine own_line(const DwarfSections& all, const LineUnit& unit, const LineRow& row, std::uint64_t address) {
  if (const std::string file = unit.file(row.file); is_own(file)) return {file, row.line};
  const std::vector<InlinedCall> calls = inlined_calls(all, address);
  for (std::size_t i = calls.size(); i-- != 0;)
    if (const std::string file = unit.file(calls[i].file); is_own(file)) return {file, calls[i].line};
  return {};
}

}  // namespace

HostLine host_line(const char* path, std::uint64_t base, std::uint64_t return_address) {
  const MappedFile file(path);
  const auto header = file.list<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const std::uint64_t wanted = return_address - 1 - (header[0].e_type == ET_EXEC ? 0 : base);
  const DwarfSections all = sections_of(file, header[0]);
  for (DwarfBytes in(all.lines); !in.done();) {
    LineUnit unit(in.take(in.read<std::uint32_t>()), all);
    if (const LineRow row = unit.row_of(wanted); row.line > 0) return own_line(all, unit, row, wanted);
  }
  return {};
}

HostLine host_line(const void* return_address) {
  if (calls_are_remote()) return {};
  static std::mutex mutex;
  static auto& known = *new std::map<const void*, HostLine>;  // reports at the end of the process need it
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace(return_address);
  Dl_info info;
  if (fresh && dladdr(return_address, &info) != 0 && info.dli_fname != nullptr)
    entry->second = host_line(info.dli_fname, reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                              reinterpret_cast<std::uintptr_t>(return_address));
  return entry->second;
}

}  // namespace warpgrade::emulator
