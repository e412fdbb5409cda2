#include "recording/debug_variables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "findings/dwarf_values.hpp"

namespace warpgrade::emulator {
namespace {

// DWARF 2 and 3, chapter 7.5: the tags, attributes and operators that nvcc writes for variables.
enum Tag : std::uint64_t {
  kArray = 0x01,
  kFormalParameter = 0x05,
  kLexicalBlock = 0x0b,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInlined = 0x1d,
  kClass = 0x02,
  kSubrange = 0x21,
  kBase = 0x24,
  kConst = 0x26,
  kEnumeration = 0x04,
  kSubprogram = 0x2e,
  kVariable = 0x34,
  kVolatile = 0x35,
  kRvalueReference = 0x42,
  kRestrict = 0x37,
};
enum Attribute : std::uint64_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kUpperBound = 0x2f,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kLine = 0x3b,
  kEncoding = 0x3e,
  kSpecification = 0x47,
  kType = 0x49,
  kArtificial = 0x34,
};
enum Operator : std::uint8_t {
  kOpAddress = 0x03,
  kOpPlusConstant = 0x23,
  kOpRegister = 0x90,
  kOpFrame = 0x91
};

struct AttributeValue {
  std::uint64_t form = 0, number = 0;
  std::string_view block;
  std::size_t at = 0;  // offset of the block in .debug_info
  const ptx::DebugSection::Reference* reference = nullptr;
};

struct Entry {
  std::uint64_t tag = 0;
  std::size_t offset = 0, parent = 0;  // parent: index of an entry; itself at the top
  std::map<std::uint64_t, AttributeValue> values;
  const AttributeValue* find(std::uint64_t attribute) const {
    const auto found = values.find(attribute);
    return found == values.end() ? nullptr : &found->second;
  }
};

struct Label {
  std::int32_t function = -1;
  std::uint32_t instruction = 0;
};

// Offsets count from the section's begin, of the reader's own bytes.
class Reader {
 public:
  Reader(const ptx::DebugSection& section, std::size_t from, std::size_t end)
      : section_(section), bytes_(std::string_view(section.content).substr(from, end - from)), end_(end) {}
  DwarfBytes& bytes() { return bytes_; }
  std::size_t offset() const { return end_ - bytes_.left(); }
  const ptx::DebugSection::Reference* reference() const {
    const std::size_t at = offset();
    const auto& all = section_.references;
    const auto found = std::lower_bound(all.begin(), all.end(), at, [](const auto& each, std::size_t offset) {
      return each.offset < offset;
    });
    return found != all.end() && found->offset == at ? &*found : nullptr;
  }

 private:
  const ptx::DebugSection& section_;
  DwarfBytes bytes_;
  std::size_t end_;
};

constexpr std::size_t kMostEntries = 200'000;
constexpr int kDeepest = 16;  // typedefs of typedefs

class Variables {
 public:
  explicit Variables(const ptx::Module& module) : module_(module) {
    for (std::size_t f = 0; f < module.functions.size(); ++f)
      for (const auto& [name, at] : module.functions[f].labels)
        labels_.emplace(name, Label{static_cast<std::int32_t>(f), at});
    for (std::size_t f = 0; f < module.functions.size(); ++f)
      labels_.emplace(module.functions[f].name, Label{static_cast<std::int32_t>(f), 0});
  }

  std::vector<DebugVariable> take() {
    const ptx::DebugSection *info = section("debug_info"), *abbreviations = section("debug_abbrev");
    if (info == nullptr || abbreviations == nullptr) return {};
    read_abbreviations(*abbreviations);
    read_units(*info);
    std::vector<DebugVariable> found;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].tag == kVariable || entries_[i].tag == kFormalParameter)
        if (auto made = variable(i)) found.push_back(std::move(*made));
    return found;
  }

 private:
  const ptx::DebugSection* section(const char* name) const {
    const auto found = module_.debug.find(name);
    return found == module_.debug.end() ? nullptr : &found->second;
  }

  void read_abbreviations(const ptx::DebugSection& section) {
    DwarfBytes from(section.content);
    while (!from.done()) {
      const std::uint64_t code = from.unsigned_leb();
      if (code == 0) continue;
      abbreviations_[code] = read_abbreviation(from);
    }
  }

  // One unit after the other: length, version, offset of its abbreviations, size of an address.
  void read_units(const ptx::DebugSection& info) {
    for (std::size_t at = 0; at + 11 <= info.content.size() && entries_.size() < kMostEntries;) {
      Reader head(info, at, info.content.size());
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

  void read_entries(const ptx::DebugSection& info, std::size_t unit, std::size_t from, std::size_t end) {
    Reader reader(info, from, end);
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
      Entry& entry = entries_.emplace_back();
      entry.tag = known->second.tag;
      entry.offset = offset;
      entry.parent = parents.empty() ? index : parents.back();
      for (const DwarfAttribute& each : known->second.attributes)
        entry.values[each.name] = attribute_value(reader, each, unit);
      by_offset_[offset] = index;
      if (known->second.has_children) parents.push_back(index);
    }
  }

  static AttributeValue attribute_value(Reader& reader, const DwarfAttribute& of, std::size_t unit) {
    AttributeValue value;
    value.form = of.form;
    value.reference = reader.reference();
    const DwarfValue read = read_value(reader.bytes(), of);
    value.number = read.is_relative_to_unit ? unit + read.number : read.number;
    value.block = read.bytes;
    value.at = reader.offset() - read.bytes.size();
    return value;
  }

  const Entry* at_reference(const AttributeValue* value) const {
    if (value == nullptr) return nullptr;
    const auto found = by_offset_.find(value->number);
    return found == by_offset_.end() ? nullptr : &entries_[found->second];
  }

  // The attribute of the entry, or of what it is an instance of.
  const AttributeValue* attribute(const Entry& entry, std::uint64_t which) const {
    const Entry* at = &entry;
    for (int depth = 0; at != nullptr && depth < kDeepest; ++depth) {
      if (const AttributeValue* found = at->find(which)) return found;
      const Entry* origin = at_reference(at->find(kAbstractOrigin));
      at = origin != nullptr ? origin : at_reference(at->find(kSpecification));
    }
    return nullptr;
  }

  // Where in the section the value points: its number, or a label with an addend.
  static std::size_t offset_in(const ptx::DebugSection& section, const AttributeValue& value) {
    if (value.reference == nullptr) return value.number;
    const auto label = section.labels.find(value.reference->symbol);
    return static_cast<std::size_t>(value.reference->addend) +
           (label == section.labels.end() ? 0 : label->second);
  }

  std::string text(const AttributeValue* value) const {
    if (value == nullptr) return {};
    if (value->form == dwarf::kString) return std::string(value->block);
    const ptx::DebugSection* strings = section("debug_str");
    if (strings == nullptr) return {};
    return std::string(string_at(strings->content, offset_in(*strings, *value)));
  }

  std::optional<Label> label(const ptx::DebugSection::Reference* reference) const {
    if (reference == nullptr) return std::nullopt;
    const auto found = labels_.find(reference->symbol);
    return found == labels_.end() ? std::nullopt : std::optional(found->second);
  }

  std::uint64_t number(const Entry& entry, std::uint64_t which) const {
    const AttributeValue* value = attribute(entry, which);
    return value == nullptr ? 0 : value->number;
  }

  static DebugType::Kind kind_of(std::uint64_t encoding) {
    switch (encoding) {  // DW_ATE_…
      case 2:
        return DebugType::Kind::boolean;
      case 4:
        return DebugType::Kind::real;
      case 5:
      case 6:
      case 0x0d:
        return DebugType::Kind::integer;
      case 7:
      case 8:
        return DebugType::Kind::natural;
      default:
        return DebugType::Kind::unknown;
    }
  }

  DebugType type(const Entry* entry) const {
    DebugType out;
    for (int depth = 0; entry != nullptr && depth < kDeepest; ++depth) {
      switch (entry->tag) {
        case kArray:
          extents(*entry, out);
          break;
        case kBase:
          out.kind = kind_of(number(*entry, kEncoding));
          out.bytes = number(*entry, kByteSize);
          out.name = text(entry->find(kName));
          return out;
        case kEnumeration:
          out.kind = DebugType::Kind::integer;
          out.bytes = number(*entry, kByteSize);
          out.name = text(entry->find(kName));
          return out;
        case kPointer:
        case kReference:
        case kRvalueReference:
          out.kind = DebugType::Kind::pointer;
          out.bytes = 8;
          out.name = type(at_reference(entry->find(kType))).name + "*";
          return out;
        case kStructure:
        case kClass:
        case kUnion:
          out.kind = DebugType::Kind::record;
          out.bytes = number(*entry, kByteSize);
          out.name = text(entry->find(kName));
          return out;
        default:
          break;  // typedef, const, volatile
      }
      entry = at_reference(entry->find(kType));
    }
    return out;
  }

  void extents(const Entry& array, DebugType& to) const {
    const auto index = static_cast<std::size_t>(&array - entries_.data());
    for (std::size_t i = index + 1; i < entries_.size() && entries_[i].parent >= index; ++i) {
      if (entries_[i].parent != index || entries_[i].tag != kSubrange) continue;
      const AttributeValue *count = entries_[i].find(kCount), *upper = entries_[i].find(kUpperBound);
      to.extents.push_back(count != nullptr ? count->number : upper != nullptr ? upper->number + 1 : 0);
    }
  }

  // Instructions of the innermost scope around the entry that has some, and its function.
  std::optional<std::pair<Label, Label>> scope(std::size_t index) const {
    while (entries_[index].parent != index) {
      index = entries_[index].parent;
      const Entry& at = entries_[index];
      const auto low = label(at.find(kLowPc) ? at.find(kLowPc)->reference : nullptr);
      const auto high = label(at.find(kHighPc) ? at.find(kHighPc)->reference : nullptr);
      if (low && high && (at.tag == kSubprogram || at.tag == kLexicalBlock || at.tag == kInlined))
        return std::pair(*low, *high);
    }
    return std::nullopt;
  }

  std::optional<DebugVariable> variable(std::size_t index) const {
    const Entry& entry = entries_[index];
    DebugVariable out;
    out.name = text(attribute(entry, kName));
    if (out.name.empty() || attribute(entry, kArtificial) != nullptr) return std::nullopt;
    out.line = static_cast<int>(number(entry, kLine));
    out.is_parameter = entry.tag == kFormalParameter;
    out.type = type(at_reference(attribute(entry, kType)));
    if (const auto around = scope(index)) {
      out.function = around->first.function;
      out.first = around->first.instruction;
      out.end = around->second.instruction;
    }
    const AttributeValue* location = entry.find(kLocation);
    if (location != nullptr && (location->form == dwarf::kBlock1 || location->form == dwarf::kExprloc)) {
      const ptx::DebugSection* info = section("debug_info");
      if (auto place = expression(*info, location->at, location->block.size())) {
        place->first = out.first;
        place->end = out.end;
        out.places.push_back(std::move(*place));
      }
    } else if (location != nullptr) {
      location_list(*location, out);
    }
    if (out.function < 0 && out.places.empty()) return std::nullopt;  // of a function that is not there
    return out;
  }

  // Pairs of labels, each with an expression; two zeros end the list.
  void location_list(const AttributeValue& location, DebugVariable& to) const {
    const ptx::DebugSection* list = section("debug_loc");
    if (list == nullptr) return;
    const std::size_t at = offset_in(*list, location);
    if (at >= list->content.size()) return;
    Reader reader(*list, at, list->content.size());
    while (!reader.bytes().done()) {
      const auto* low = reader.reference();
      const auto first = reader.bytes().read<std::uint64_t>();
      const auto* high = reader.reference();
      const auto last = reader.bytes().read<std::uint64_t>();
      if (low == nullptr && high == nullptr && first == 0 && last == 0) return;
      const auto size = reader.bytes().read<std::uint16_t>();
      const auto from = label(low), end = label(high);
      auto place = expression(*list, reader.offset(), size);
      reader.bytes().take(size);
      if (!from || !end || !place) continue;
      place->first = from->instruction;
      place->end = end->instruction;
      to.places.push_back(std::move(*place));
    }
  }

  // A register's name is spelt in the number of the register, its first letter on top.
  static std::string spelt(std::uint64_t number) {
    std::string name;
    for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
    return name;
  }

  std::optional<DebugPlace> expression(const ptx::DebugSection& in, std::size_t at, std::size_t size) const {
    Reader reader(in, at, at + size);
    if (reader.bytes().done()) return std::nullopt;
    DebugPlace place;
    const auto op = reader.bytes().read<std::uint8_t>();
    if (op == kOpRegister) {
      place.name = spelt(reader.bytes().unsigned_leb());
      return place;
    }
    if (op == kOpFrame) {
      place.kind = DebugPlace::Kind::local;
      place.offset = reader.bytes().signed_leb();
      return place;
    }
    if (op != kOpAddress) return std::nullopt;
    const auto* reference = reader.reference();
    reader.bytes().read<std::uint64_t>();
    if (reference == nullptr) return std::nullopt;
    place.kind =
        reference->symbol.starts_with("__local_depot") ? DebugPlace::Kind::local : DebugPlace::Kind::symbol;
    place.name = reference->symbol;
    place.offset = reference->addend;
    if (!reader.bytes().done() && reader.bytes().read<std::uint8_t>() == kOpPlusConstant)
      place.offset += static_cast<std::int64_t>(reader.bytes().unsigned_leb());
    return place;
  }

  const ptx::Module& module_;
  std::unordered_map<std::string, Label> labels_;
  std::unordered_map<std::uint64_t, DwarfAbbreviation> abbreviations_;
  std::vector<Entry> entries_;
  std::unordered_map<std::size_t, std::size_t> by_offset_;  // → index
};

}  // namespace

std::vector<DebugVariable> debug_variables(const ptx::Module& module) { return Variables(module).take(); }

}  // namespace warpgrade::emulator
