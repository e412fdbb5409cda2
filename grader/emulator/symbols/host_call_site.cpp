#include "symbols/host_call_site.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "symbols/host_symbols.hpp"

namespace warpgrade::emulator {
namespace {

std::string past(std::string_view name, std::uintptr_t base, std::uintptr_t address) {
  char offset[24];
  std::snprintf(offset, sizeof offset, "+0x%" PRIxPTR, address - base);
  return std::string(name) + offset;
}

// The C and C++ libraries, those of sanitizers (which wrap them), and this library.
bool in_system_library(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  std::string_view file = info.dli_fname;
  file = file.substr(file.rfind('/') + 1);
  constexpr std::string_view kLibraries[] = {"libc.so",      "libstdc++.so", "libm.so",
                                             "libgcc_s.so",  "ld-linux-x",   "libpthread.so",
                                             "libcudart.so", "libasan.so",   "libtsan.so"};
  return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                     [&](std::string_view each) { return file.starts_with(each); });
}

// Set in a process that makes calls for another one: the call site lies in that other program.
thread_local const void* remote_call = nullptr;
std::atomic<bool> is_remote{false};
thread_local const void* announced_call = nullptr;

HostSymbol symbol_at(const void* address, const Dl_info& info) {
  return find_host_symbol(info.dli_fname, reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                          reinterpret_cast<std::uintptr_t>(address));
}

// A member, a function or a local class of a function in one of these namespaces (Itanium C++ ABI 5.1).
bool in_namespace_of_toolkit(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return false;
  mangled.remove_prefix(std::min(mangled.find_first_not_of('Z', 2), mangled.size()));
  if (!mangled.starts_with('N')) return false;
  mangled.remove_prefix(std::min(mangled.find_first_not_of("rVKRO", 1), mangled.size()));
  return mangled.starts_with("6thrust") || mangled.starts_with("3cub") || mangled.starts_with("4cuda");
}

// Functions that nvcc writes for a launch.
bool is_of_launch(std::string_view mangled) {
  return mangled.find("__device_stub_") != mangled.npos || mangled.find("__cudaLaunch") != mangled.npos;
}

// What the toolkit's headers compile into a program. The name of a template begins with the type of its
// result: "cudaError cudaMalloc<int>(int**, unsigned long)".
bool in_toolkit(const void* address) {
  Dl_info info;
  if (is_remote || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  const auto [name, mangled, begin] = symbol_at(address, info);
  return in_namespace_of_toolkit(mangled) || is_of_launch(mangled) || name.starts_with("cudaError cuda") ||
         name.starts_with("cudaMalloc") || name.starts_with("cudaHost") || name.starts_with("cudaMem") ||
         name.starts_with("cudaFree") || name.starts_with("cudaLaunch");
}

// Whether the call was made by the program's own code: neither by a system library nor in a toolkit's
// template.
bool is_own_call(const void* call) {
  // A cache, because symbol look-up is slow. Calls at the end of the process need it, too.
  static std::mutex mutex;
  static auto& known = *new std::unordered_map<const void*, bool>;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace(call, false);
  if (fresh) entry->second = !in_system_library(call) && !in_toolkit(call);
  return entry->second;
}

constexpr int kMostCalls = 64;

}  // namespace

void set_remote_call(const void* address) {
  remote_call = address;
  if (address != nullptr) is_remote = true;
}

const void* call_in_program(const void* innermost) {
  if (remote_call != nullptr) return remote_call;
  if (is_own_call(innermost)) return innermost;
  void* calls[kMostCalls];
  void** const end = calls + backtrace(calls, kMostCalls);
  void** at = std::find(calls, end, innermost);
  if (at == end) return innermost;
  at = std::find_if(at, end, is_own_call);
  return at == end ? innermost : *at;
}

bool calls_are_remote() { return is_remote; }

std::vector<const void*> current_calls() {
  if (remote_call != nullptr) return {remote_call};
  if (announced_call != nullptr && is_own_call(announced_call)) return {announced_call};
  void* calls[kMostCalls];
  void** const end = calls + backtrace(calls, kMostCalls);
  // Not in braces, which would make a list of two pointers.
  return std::vector<const void*>(std::find_if(calls, end, is_own_call), end);
}

const void* current_call() {
  const std::vector<const void*> calls = current_calls();
  return calls.empty() ? nullptr : calls.front();
}

AnnouncedCall::AnnouncedCall(const void* address) { announced_call = address; }
AnnouncedCall::~AnnouncedCall() { announced_call = nullptr; }
bool is_announced() { return announced_call != nullptr; }

std::string call_site(const void* return_address) {
  if (is_remote) return past("program", 0, reinterpret_cast<std::uintptr_t>(return_address));
  Dl_info info;
  if (dladdr(return_address, &info) == 0 || info.dli_fname == nullptr) return "an unknown place";
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  std::string_view file = info.dli_fname;
  file = file.substr(file.rfind('/') + 1);
  const HostSymbol symbol = symbol_at(return_address, info);
  if (symbol.name.empty()) return past(file, base, address);
  return past(symbol.name, symbol.begin, address) + " in " + std::string(file);
}

std::string line_command(const void* instruction) {
  Dl_info info;
  if (dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) return {};
  const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
  const auto base = header->e_type == ET_EXEC ? 0 : reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  char address[24];
  std::snprintf(address, sizeof address, " 0x%" PRIxPTR,
                reinterpret_cast<std::uintptr_t>(instruction) - base);
  return std::string("addr2line -e ") + info.dli_fname + address;
}

}  // namespace warpgrade::emulator
