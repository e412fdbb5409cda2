#include "recording/debug_entries.hpp"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kMostEntries = 200'000;
constexpr int kDeepestOrigin = 16;  // chain of abstract origins

DebugAttribute attribute_value(DebugReader& reader, const DwarfAttribute& of, std::size_t unit) {
  DebugAttribute value;
  value.form = of.form;
  value.reference = reader.reference();
  const DwarfValue read = read_value(reader.bytes(), of);
  value.number = read.is_relative_to_unit ? unit + read.number : read.number;
  value.block = read.bytes;
  value.at = reader.offset() - read.bytes.size();
  return value;
}

}  // namespace

const ptx::DebugSection::Reference* DebugReader::reference() const {
  const std::size_t at = offset();
  const auto& all = section_.references;
  const auto found = std::lower_bound(
      all.begin(), all.end(), at, [](const auto& each, std::size_t offset) { return each.offset < offset; });
  return found != all.end() && found->offset == at ? &*found : nullptr;
}

DebugEntries::DebugEntries(const ptx::Module& module) : module_(module) {
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (const auto& [name, at] : module.functions[f].labels)
      labels_.emplace(name, DebugLabel{static_cast<std::int32_t>(f), at});
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    labels_.emplace(module.functions[f].name, DebugLabel{static_cast<std::int32_t>(f), 0});
  const ptx::DebugSection *info = section("debug_info"), *abbreviations = section("debug_abbrev");
  if (info == nullptr || abbreviations == nullptr) return;
  read_abbreviations(*abbreviations);
  read_units(*info);
}

const ptx::DebugSection* DebugEntries::section(const char* name) const {
  const auto found = module_.debug.find(name);
  return found == module_.debug.end() ? nullptr : &found->second;
}

void DebugEntries::read_abbreviations(const ptx::DebugSection& section) {
  DwarfBytes from(section.content);
  while (!from.done()) {
    const std::uint64_t code = from.unsigned_leb();
    if (code == 0) continue;
    abbreviations_[code] = read_abbreviation(from);
  }
}

// One unit after the other: length, version, offset of its abbreviations, size of an address.
void DebugEntries::read_units(const ptx::DebugSection& info) {
  for (std::size_t at = 0; at + 11 <= info.content.size() && entries_.size() < kMostEntries;) {
    DebugReader head(info, at, info.content.size());
    const auto* length_reference = head.reference();
    std::size_t length = head.bytes().read<std::uint32_t>();
    if (length_reference != nullptr || length == 0) length = info.content.size() - at - 4;
    const std::size_t end = std::min(at + 4 + length, info.content.size());
    head.bytes().read<std::uint16_t>();
    head.bytes().read<std::uint32_t>();
    head.bytes().read<std::uint8_t>();
    read_entries(info, at, head.offset(), end);
    at = end;
  }
}

void DebugEntries::read_entries(const ptx::DebugSection& info, std::size_t unit, std::size_t from,
                                std::size_t end) {
  DebugReader reader(info, from, end);
  std::vector<std::size_t> parents;
  while (!reader.bytes().done() && entries_.size() < kMostEntries) {
    const std::size_t offset = reader.offset();
    const std::uint64_t code = reader.bytes().unsigned_leb();
    if (code == 0) {
      if (!parents.empty()) parents.pop_back();
      continue;
    }
    const auto known = abbreviations_.find(code);
    if (known == abbreviations_.end()) return;
    const std::size_t index = entries_.size();
    DebugEntry& entry = entries_.emplace_back();
    entry.tag = known->second.tag;
    entry.offset = offset;
    entry.parent = parents.empty() ? index : parents.back();
    for (const DwarfAttribute& each : known->second.attributes)
      entry.values[each.name] = attribute_value(reader, each, unit);
    by_offset_[offset] = index;
    if (known->second.has_children) parents.push_back(index);
  }
}

const DebugEntry* DebugEntries::at_reference(const DebugAttribute* value) const {
  if (value == nullptr) return nullptr;
  const auto found = by_offset_.find(value->number);
  return found == by_offset_.end() ? nullptr : &entries_[found->second];
}

const DebugAttribute* DebugEntries::attribute(const DebugEntry& entry, std::uint64_t which) const {
  const DebugEntry* at = &entry;
  for (int depth = 0; at != nullptr && depth < kDeepestOrigin; ++depth) {
    if (const DebugAttribute* found = at->find(which)) return found;
    const DebugEntry* origin = at_reference(at->find(debug::kAbstractOrigin));
    at = origin != nullptr ? origin : at_reference(at->find(debug::kSpecification));
  }
  return nullptr;
}

std::uint64_t DebugEntries::number(const DebugEntry& entry, std::uint64_t which) const {
  const DebugAttribute* value = attribute(entry, which);
  return value == nullptr ? 0 : value->number;
}

std::size_t DebugEntries::offset_in(const ptx::DebugSection& section, const DebugAttribute& value) {
  if (value.reference == nullptr) return value.number;
  const auto label = section.labels.find(value.reference->symbol);
  return static_cast<std::size_t>(value.reference->addend) +
         (label == section.labels.end() ? 0 : label->second);
}

std::string DebugEntries::text(const DebugAttribute* value) const {
  if (value == nullptr) return {};
  if (value->form == dwarf::kString) return std::string(value->block);
  const ptx::DebugSection* strings = section("debug_str");
  if (strings == nullptr) return {};
  return std::string(string_at(strings->content, offset_in(*strings, *value)));
}

std::optional<DebugLabel> DebugEntries::label(const ptx::DebugSection::Reference* reference) const {
  if (reference == nullptr) return std::nullopt;
  const auto found = labels_.find(reference->symbol);
  return found == labels_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace warpgrade::emulator
