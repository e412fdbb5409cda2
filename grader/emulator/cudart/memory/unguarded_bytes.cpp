#include "cudart/memory/unguarded_bytes.hpp"

#include <algorithm>
#include <utility>

#include "cudart/memory/page_guard.hpp"
#include "symbols/program_memory.hpp"

namespace warpgrade::cudart {
namespace {

using emulator::AddressRange;

// The most pieces of a strided access that are kept.
constexpr std::size_t kMostKept = 256;

std::vector<std::uint8_t> values_of(AddressRange bytes) {
  return emulator::program_bytes(bytes.begin, bytes.end - bytes.begin);
}

// Memory of the program that cudaHostRegister has opened.
bool is_registered(AddressRange bytes, const emulator::DeviceMemory& memory) {
  const emulator::Allocation* in = memory.find(bytes.begin);
  return in != nullptr && !in->freed && !memory.in_range(bytes.begin);
}

}  // namespace

void UnguardedBytes::keep(const Operation& operation, const emulator::AddressRanges& ranges,
                          const emulator::DeviceMemory& memory) {
  for (const AddressRange& each : ranges.items()) {
    if (!is_registered(each, memory)) continue;
    const AddressRange closed = whole_pages(each);
    const bool none = closed.begin >= closed.end;
    const AddressRange edges[] = {{each.begin, none ? each.end : closed.begin},
                                  {none ? each.end : closed.end, each.end}};
    for (const AddressRange& edge : edges)
      if (edge.begin < edge.end && pieces_.size() < kMostKept)
        pieces_.push_back({operation, edge, values_of(edge)});
  }
}

void UnguardedBytes::written(const emulator::TouchedMemory& touched) {
  std::erase_if(pieces_, [&](const Piece& each) {
    return touched.written.overlap(each.bytes) || touched.written_strongly.overlap(each.bytes);
  });
}

void UnguardedBytes::add(const Operation& operation, const emulator::DeviceMemory& memory) {
  const emulator::TouchedMemory& touched = operation->touched;
  // The host may wait for a flag that the kernel sets.
  if (!touched.written_strongly.empty()) return;
  keep(operation, touched.read, memory);
  keep(operation, touched.written, memory);
}

void UnguardedBytes::take_again() {
  for (Piece& each : pieces_) each.values = values_of(each.bytes);
}

void UnguardedBytes::compare(const Changed& changed) {
  std::vector<std::pair<Operation, std::uint64_t>> differ;
  for (const Piece& each : pieces_) {
    const std::vector<std::uint8_t> now = values_of(each.bytes);
    const auto [old, other] = std::mismatch(each.values.begin(), each.values.end(), now.begin(), now.end());
    if (old != each.values.end() && other != now.end())
      differ.emplace_back(each.operation, each.bytes.begin + (old - each.values.begin()));
  }
  for (const auto& [operation, address] : differ) {
    changed(operation, address);
    forget([&, of = operation](const Operation& each) { return each == of; });
  }
}

void UnguardedBytes::forget(const std::function<bool(const Operation&)>& is_over) {
  std::erase_if(pieces_, [&](const Piece& each) { return is_over(each.operation); });
}

}  // namespace warpgrade::cudart
