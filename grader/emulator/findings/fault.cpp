#include "findings/fault.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "machine/memory/local_window.hpp"
#include "machine/memory/shared_window.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/host_lines.hpp"
#include "symbols/shared_variables.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

// Where a program in another process, whose mappings cannot be queried, has its memory on x86-64: code, data
// and heap below 64 GB, as it is not position independent; mappings and stacks at 0x7f… (mmap(2)).
bool is_host_memory_elsewhere(std::uint64_t address) {
  return address < std::uint64_t{1} << 36 || address >> 40 == 0x7f;
}

// Is the page mapped in this process? Then the address is one of the host program's.
bool is_host_memory(std::uint64_t address) {
  if (calls_are_remote()) return is_host_memory_elsewhere(address);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

void relate(Memory& to, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t address = to.address;
  to.allocation_bytes = end - begin;
  if (address < begin) {
    to.relation = Placement::before;
    to.distance = -static_cast<std::int64_t>(begin - address);
  } else if (address + to.bytes > end) {
    to.relation = Placement::after;
    to.distance = static_cast<std::int64_t>(address - end);
  } else {
    to.relation = Placement::inside;
    to.distance = static_cast<std::int64_t>(address - begin);
  }
}

void describe_device(Memory& to, const DeviceMemory& memory) {
  const Allocation* near = memory.find(to.address);
  if (near == nullptr) near = memory.nearest(to.address);
  if (near == nullptr) return;
  // Beyond this distance the nearest allocation is not named: it would mislead.
  constexpr std::uint64_t kNear = std::uint64_t{1} << 32;
  const std::uint64_t below = near->base - to.address, above = to.address - (near->base + near->bytes);
  if (memory.find(to.address) == nullptr && below > kNear && above > kNear) return;
  to.allocation = name_of(*near);
  if (near->name.empty()) to.made_at = place_of_allocation(*near);
  relate(to, near->open_begin, near->open_end);
}

// An index that is slightly off lands near its array, also where there is no allocation.
bool is_near(const DeviceMemory& memory, std::uint64_t address) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 24;
  const Allocation* nearest = memory.nearest(address);
  return nearest != nullptr &&
         (nearest->base - address < kNear || address - (nearest->base + nearest->bytes) < kNear);
}

FindingKind device_kind(const Fault& fault, const DeviceMemory& memory) {
  if (fault.address < 65536) return FindingKind::null_pointer;
  const FindingKind outside =
      fault.writes() ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
  if (const Allocation* inside = memory.find(fault.address)) {
    if (inside->freed) return FindingKind::use_after_free;
    if (inside->kind == Allocation::Kind::module_constant && fault.writes())
      return FindingKind::write_to_constant;
    return outside;
  }
  if (memory.in_range(fault.address) || is_near(memory, fault.address)) return outside;
  return is_host_memory(fault.address) ? FindingKind::host_pointer : FindingKind::wild_pointer;
}

// Host addresses of a program in another process differ from run to run, so the message leaves them out.
std::string sentence(const Fault& fault, FindingKind kind, Memory& at, std::uint32_t alignment) {
  const std::string what = std::string(name_of(fault.kind)) + " of " + std::to_string(fault.bytes) +
                           (fault.bytes == 1 ? " byte" : " bytes");
  const std::string in = std::string(" in ") + space_words(fault.space);
  switch (kind) {
    case FindingKind::misaligned:
      return "misaligned " + what + in + ": address " + hex(fault.address) + " is not a multiple of " +
             std::to_string(alignment);
    case FindingKind::use_after_free:
      return what + " of " + at.allocation + ", which has been freed" +
             provenance(*fault.warp->block->memory->find(fault.address));
    case FindingKind::null_pointer:
      return what + " through a null pointer (address " + hex(fault.address) + ")";
    case FindingKind::host_pointer:
      return what + " through a host pointer" +
             (calls_are_remote() ? "" : " (address " + hex(fault.address) + ")");
    case FindingKind::wild_pointer:
      return what + " at " +
             (calls_are_remote() ? "an address that" : "address " + hex(fault.address) + ", which") +
             " is not device memory";
    case FindingKind::write_to_constant:
      return what + in + ", which kernels cannot write";
    default:
      break;
  }
  if (at.allocation.empty()) return what + " out of bounds" + in + " at " + hex(fault.address);
  at.words = distance_words(at);
  return what + " out of bounds" + in + ": " + at.words;
}

}  // namespace

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
  return text;
}

std::string name_of(const Allocation& allocation) {
  return allocation.name.empty() ? "allocation " + std::to_string(allocation.serial) : allocation.name;
}

static std::string short_place(const std::string& file, int line) {
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

std::string place_of_call(const void* call) {
  const HostLine at = host_line(call);
  return at.file.empty() ? call_site(call) : short_place(at.file, at.line);
}

std::string place_of_allocation(const Allocation& allocation) {
  if (allocation.program != nullptr) {
    const SourcePlace at = place_of(*allocation.program, allocation.instruction);
    return at.file.empty() ? "" : short_place(at.file, at.line);
  }
  return allocation.allocated_at == nullptr ? "" : place_of_call(allocation.allocated_at);
}

std::string place_words(Memory& at, const char* otherwise) {
  if (at.relation != Placement::inside) return otherwise;
  return at.words = "byte " + std::to_string(at.distance) + " of " + at.allocation;
}

std::string distance_words(const Memory& at) {
  const std::int64_t apart = at.distance;
  const auto bytes =
      std::to_string(apart < 0 ? -apart : apart) + (apart == 1 || apart == -1 ? " byte " : " bytes ");
  const std::string size = " (" + std::to_string(at.allocation_bytes) + " bytes)";
  if (at.relation == Placement::inside)
    return "at byte " + std::to_string(apart) + " of " + at.allocation + size;
  if (at.relation == Placement::before) return bytes + "before the start of " + at.allocation + size;
  if (apart < 0) return "across the end of " + at.allocation + size;
  return bytes + "past the end of " + at.allocation + size;
}

std::string provenance(const Allocation& allocation) {
  const std::string made = place_of_allocation(allocation);
  if (made.empty()) return {};
  std::string out = ", allocated at " + made;
  if (allocation.freed_at != nullptr) out += ", freed at " + place_of_call(allocation.freed_at);
  return out;
}

const char* space_name(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return "shared";
    case ptx::Space::constant:
      return "const";
    case ptx::Space::local:
      return "local";
    case ptx::Space::param:
      return "param";
    case ptx::Space::generic:
      return "generic";
    default:
      return "global";
  }
}

const char* verb_of(const Site& site) {
  return site.access == "read" ? "reads" : site.access == "write" ? "writes" : "updates";
}

const char* space_words(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return "shared memory";
    case ptx::Space::constant:
      return "constant memory";
    case ptx::Space::local:
      return "local memory";
    case ptx::Space::param:
      return "the kernel's parameters";
    default:
      return "global memory";
  }
}

Memory describe(const Block& block, const Warp* warp, ptx::Space space, std::uint64_t address,
                std::uint32_t bytes) {
  Memory out;
  out.space = space_name(space);
  out.address = address;
  out.bytes = bytes;
  if (space == ptx::Space::shared) {
    // An address is 32 bits wide: an index below the first array wraps around.
    const auto below = static_cast<std::int32_t>(address);
    const SharedRange variable = shared_variable_at(block, below < 0 ? 0 : address);
    out.allocation = variable.name;
    relate(out, variable.begin, variable.end);
    if (below < 0) {
      out.relation = Placement::before;
      out.distance = below - static_cast<std::int64_t>(variable.begin);
    }
  } else if (space == ptx::Space::local) {
    out.allocation = "the thread's local memory";
    relate(out, 0, warp != nullptr ? warp->local_bytes : 0);
    if (const auto below = static_cast<std::int64_t>(address); below < 0) {
      out.relation = Placement::before;
      out.distance = below;
    }
  } else if (space == ptx::Space::param) {
    out.allocation = "the kernel's parameters";
    relate(out, 0, block.launch->kernel->parameter_bytes);
  } else {
    describe_device(out, *block.memory);
  }
  return out;
}

Memory describe_global(const DeviceMemory& memory, std::uint64_t address, std::uint32_t bytes) {
  Memory out;
  out.space = "global";
  out.address = address;
  out.bytes = bytes;
  describe_device(out, memory);
  return out;
}

static void place_of_thread(Finding& out, const Fault& fault) {
  out.site.instruction = fault.at->index;
  out.site.block = fault.warp->block->index;
  out.site.thread = thread_of(*fault.warp, fault.lane);
  out.site.access = name_of(fault.kind);
  out.lanes = fault.lanes;
}

Finding explain_neighbour(const Fault& fault, std::uint64_t begin, std::uint64_t end) {
  const Block& block = *fault.warp->block;
  Finding out;
  out.kind = fault.writes() ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
  out.memory.space = space_name(ptx::Space::shared);
  out.memory.address = fault.address;
  out.memory.bytes = fault.bytes;
  out.memory.allocation = shared_variable_at(block, begin).name;
  relate(out.memory, begin, end);
  out.message = sentence(fault, out.kind, out.memory, 1);
  const SharedRange hit = shared_variable_at(block, fault.address);
  const bool is_hit = hit.begin <= fault.address && fault.address < hit.end;
  if (is_hit && hit.name != out.memory.allocation) out.message += ", in " + hit.name;
  place_of_thread(out, fault);
  return out;
}

// Whose local memory the address names, as words of a sentence; empty: the thread's own.
static std::string owner_words(const Block& block, std::uint64_t owner, std::uint64_t own) {
  const std::uint64_t apart = owner ^ own;
  if (apart == 0) return {};
  if (apart >> (kLocalThreadBits + kLocalBlockBits) != 0) return "a thread of an earlier launch";
  if (apart >> kLocalThreadBits != 0) return "a thread of another block";
  return "thread " + to_text(index_in(block.launch->block, owner % (1u << kLocalThreadBits)));
}

Finding explain_invalid_local(const Fault& fault, std::uint64_t given, std::uint64_t own) {
  const Block& block = *fault.warp->block;
  Finding out;
  out.kind = FindingKind::stray_local_pointer;
  out.memory = describe(block, fault.warp, fault.space, fault.address, fault.bytes);
  const std::string owner = owner_words(block, local_owner(given), local_owner(own));
  out.message =
      std::string(name_of(fault.kind)) + " of " + std::to_string(fault.bytes) + " bytes by a pointer to " +
      (owner.empty() ? "local memory that no running function has: to a variable of a function that "
                       "has returned, or past the end of an array"
                     : "a local variable of " + owner +
                           ": here it means what this thread has at that place of its own "
                           "local memory");
  place_of_thread(out, fault);
  return out;
}

// A generic address does not name a space: one slightly below shared memory counts as shared, one next to a
// constant as constant memory.
static Fault placed(Fault fault) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 20;
  if (fault.space != ptx::Space::global) return fault;
  if (kSharedWindow - fault.address <= kNear) {
    fault.space = ptx::Space::shared;
    fault.address = static_cast<std::uint32_t>(fault.address - kSharedWindow);
    return fault;
  }
  const DeviceMemory& memory = *fault.warp->block->memory;
  const Allocation* nearest = memory.find(fault.address);
  if (nearest == nullptr) nearest = memory.nearest(fault.address);
  if (nearest != nullptr && nearest->kind == Allocation::Kind::module_constant && !fault.writes())
    fault.space = ptx::Space::constant;
  return fault;
}

Finding explain(const Fault& given, std::uint32_t alignment) {
  const Fault fault = placed(given);
  const Block& block = *fault.warp->block;
  Finding out;
  out.memory = describe(block, fault.warp, fault.space, fault.address, fault.bytes);
  const bool device = fault.space == ptx::Space::global || fault.space == ptx::Space::constant;
  const FindingKind outside =
      fault.writes() ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
  out.kind = (fault.address & (alignment - 1)) != 0               ? FindingKind::misaligned
             : fault.space == ptx::Space::param && fault.writes() ? FindingKind::write_to_constant
             : device                                             ? device_kind(fault, *block.memory)
                                                                  : outside;
  out.message = sentence(fault, out.kind, out.memory, alignment);
  place_of_thread(out, fault);
  return out;
}

}  // namespace warpgrade::emulator
