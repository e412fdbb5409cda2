#include "launch/reachable_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "checks/global_race/writable_allocations.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {
namespace {

bool is_shared(const Allocation& in) {
  return !in.freed && (in.kind == Allocation::Kind::managed || in.kind == Allocation::Kind::pinned);
}

}  // namespace

TouchedMemory find_reachable(const LaunchRequest& request, const DeviceMemory& memory,
                             const LaunchOptions& options) {
  std::map<std::uint64_t, const Allocation*> shared;  // by address
  std::uint64_t address = 0;
  for (const Parameter& each : request.kernel->parameters)
    for (std::size_t at = each.offset; at + sizeof address <= each.offset + each.bytes;
         at += sizeof address) {
      std::memcpy(&address, request.parameters.data() + at, sizeof address);
      const Allocation* in = memory.find(address);
      if (in != nullptr && is_shared(*in)) shared[in->base] = in;
    }
  TouchedMemory out;
  if (shared.empty()) return out;
  const Code& code = request.kernel->program->impl().code(*request.kernel, {true, options.count});
  const WritableAllocations writable(code.written, request, memory);
  for (const auto& [base, in] : shared) {
    out.read.append({base, base + in->bytes});
    if (writable.may_be(in)) out.written.append({base, base + in->bytes});
  }
  return out;
}

std::uint64_t argument_bytes(const LaunchRequest& request, const DeviceMemory& memory) {
  std::vector<const Allocation*> seen;
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= request.parameters.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, request.parameters.data() + at, sizeof value);
    const Allocation* found = memory.find(value);
    if (found == nullptr || std::find(seen.begin(), seen.end(), found) != seen.end()) continue;
    seen.push_back(found);
    bytes += found->bytes;
  }
  return bytes;
}

}  // namespace warpgrade::emulator
