#include "launch/finding_origins.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "analysis/memory/access_origins.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

// An instruction as an index into the function that has it.
struct Position {
  const ptx::Function* function = nullptr;
  std::size_t at = 0;
};

Position position(const Program& program, std::uint32_t instruction) {
  const Origin& origin = program.origin(instruction);
  if (origin.ptx == nullptr || origin.function < 0) return {};
  const ptx::Function& function = program.module().functions[static_cast<std::size_t>(origin.function)];
  return {&function, static_cast<std::size_t>(origin.ptx - function.instructions.data())};
}

// The value of an argument that has the size of a pointer.
std::optional<std::uint64_t> value_of(const Parameter& parameter, const LaunchRequest& request) {
  std::uint64_t value = 0;
  if (parameter.bytes != sizeof value || parameter.offset + sizeof value > request.parameters.size())
    return {};
  std::memcpy(&value, request.parameters.data() + parameter.offset, sizeof value);
  return value;
}

std::optional<std::uint64_t> argument(const LaunchRequest& request, const std::string& name) {
  for (const Parameter& each : request.kernel->parameters)
    if (each.name == name) return value_of(each, request);
  return {};
}

// The largest array among the arguments, if the access would lie within it at the same distance from its
// start. Of an array that a program has allocated: those of a lab's harness have the sizes that they need.
void add_larger(Memory& at, const LaunchRequest& request, const DeviceMemory& memory) {
  if (at.made_at.empty() || at.relation != Placement::after) return;
  std::uint64_t largest = 0;
  for (const Parameter& each : request.kernel->parameters) {
    const auto value = value_of(each, request);
    const Allocation* array = value ? memory.find(*value) : nullptr;
    if (array != nullptr) largest = std::max(largest, array->open_end - array->open_begin);
  }
  const auto end = static_cast<std::int64_t>(at.allocation_bytes + at.bytes) + at.distance;
  if (end > 0 && static_cast<std::uint64_t>(end) <= largest) at.larger_bytes = largest;
}

// The array that the pointer was computed from, if the address lies nearer to another one.
void add_pointer(Finding& finding, const Position& at, const LaunchRequest& request,
                 const DeviceMemory& memory) {
  const auto name = find_pointer_parameter(*at.function, at.at);
  const auto value = name ? argument(request, *name) : std::nullopt;
  const Allocation* array = value ? memory.find(*value) : nullptr;
  if (array == nullptr || array->name.empty() || array->name == finding.memory.allocation) return;
  finding.memory.pointer = array->name;
  finding.memory.pointer_bytes = array->open_end - array->open_begin;
  finding.memory.from_pointer = static_cast<std::int64_t>(finding.memory.address - array->open_begin);
}

// Whether the access is the load or the store of a read-modify-write of one word.
bool is_of_update(const Position& access) {
  const std::size_t count = access.function->instructions.size();
  for (std::size_t other = 0; other < count; ++other) {
    const bool loads = other > access.at && is_update(*access.function, access.at, other);
    const bool stores = other < access.at && is_update(*access.function, other, access.at);
    if (loads || stores) return true;
  }
  return false;
}

}  // namespace

void add_origins(Finding& finding, const LaunchRequest& request, const DeviceMemory& memory) {
  const Program& program = *request.kernel->program;
  const Position at = position(program, finding.site.instruction);
  if (!finding.on_device || at.function == nullptr) return;
  if (check_of(finding.kind) == Check::memory) {
    add_pointer(finding, at, request, memory);
    add_larger(finding.memory, request, memory);
  }
  if (check_of(finding.kind) == Check::race && finding.has_other) {
    const Position other = position(program, finding.other.instruction);
    finding.is_update =
        !finding.lacks_lock_fence && other.function == at.function && is_of_update(at) && is_of_update(other);
  }
  if (!finding.has_writer) return;
  const Position store = position(program, finding.writer.instruction);
  const auto branch = store.function ? find_skipping_branch(*store.function, store.at) : std::nullopt;
  if (!branch) return;
  finding.has_left = true;
  finding.left = finding.writer;
  finding.left.access.clear();
  finding.left.instruction = finding.writer.instruction + static_cast<std::uint32_t>(*branch - store.at);
  resolve(finding.left, program);
}

}  // namespace warpgrade::emulator
