#include "observe/call_site.hpp"

#include <dlfcn.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace warpgrade::observe {
namespace {

std::string past(std::string_view name, const void* base, const void* address) {
  char offset[24];
  std::snprintf(offset, sizeof offset, "+0x%" PRIxPTR,
                reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base));
  return std::string(name) + offset;
}

}  // namespace

std::string call_site(const void* return_address) {
  Dl_info info;
  if (dladdr(return_address, &info) == 0 || info.dli_fname == nullptr) return "an unknown place";
  std::string_view file = info.dli_fname;
  file = file.substr(file.rfind('/') + 1);
  if (info.dli_sname == nullptr) return past(file, info.dli_fbase, return_address);
  return past(info.dli_sname, info.dli_saddr, return_address) + " in " + std::string(file);
}

}  // namespace warpgrade::observe
