#include "cudart/work/known_accesses.hpp"

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {
namespace {

using emulator::AddressRanges;

// Boxes with more rows are not compared: the list would take longer than the copy.
constexpr std::size_t kMostRows = std::size_t{1} << 18;

// The bytes of a box that lie in memory of the runtime.
AddressRanges rows(const Runtime& runtime, const void* at, std::size_t pitch, std::size_t slice,
                   std::size_t width, std::size_t height, std::size_t depth) {
  AddressRanges out;
  const auto begin = reinterpret_cast<std::uint64_t>(at);
  if (runtime.memory.find(begin) == nullptr || height * depth > kMostRows) return out;
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint64_t row = begin + z * slice + y * pitch;
      out.append({row, row + width});
    }
  return out;
}

AddressRanges whole(const Runtime& runtime, const void* pointer) {
  const emulator::Allocation* in = runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  return in == nullptr ? AddressRanges() : AddressRanges(in->base, in->bytes);
}

}  // namespace

void fill_in(Runtime& runtime, const Work& work, emulator::StreamOperation& to) {
  to.name = describe(work);
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    if (runtime.config.work_order != WorkOrder::prompt) to.expected = may_access(runtime, *kernel);
    to.fences_for_host = has_system_fence(runtime, *kernel);
  } else if (const auto* copy = std::get_if<CopyWork>(&work)) {
    to.touched.read =
        rows(runtime, copy->from, copy->from_pitch, copy->from_slice, copy->width, copy->height, copy->depth);
    to.touched.written =
        rows(runtime, copy->to, copy->to_pitch, copy->to_slice, copy->width, copy->height, copy->depth);
  } else if (const auto* fill = std::get_if<FillWork>(&work)) {
    to.touched.written =
        rows(runtime, fill->to, fill->pitch, fill->slice, fill->width, fill->height, fill->depth);
  } else if (const auto* made = std::get_if<AllocateWork>(&work)) {
    to.kind = emulator::StreamOperation::Kind::allocation;
    to.touched.written = whole(runtime, made->parameters.dptr);
  } else if (const auto* freed = std::get_if<FreeWork>(&work)) {
    to.kind = emulator::StreamOperation::Kind::release;
    to.touched.written = whole(runtime, freed->pointer);
  }
}

}  // namespace warpgrade::cudart
