#include "recording/debug_variables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "recording/debug_entries.hpp"

namespace warpgrade::emulator {
namespace {

enum Operator : std::uint8_t {
  kOpAddress = 0x03,
  kOpPlusConstant = 0x23,
  kOpRegister = 0x90,
  kOpFrame = 0x91
};

constexpr int kDeepest = 16;                // typedefs of typedefs
constexpr std::string_view kBase = "__b_";  // nvcc writes a base as a member whose name begins so
constexpr std::size_t kMostMembers = 256;   // of a variable
constexpr int kDeepestRecord = 4;           // records in records

class Variables {
 public:
  explicit Variables(const ptx::Module& module) : from_(module) {}

  std::vector<DebugVariable> take() const {
    std::vector<DebugVariable> found;
    for (std::size_t i = 0; i < from_.all().size(); ++i)
      if (const std::uint64_t tag = from_.all()[i].tag;
          tag == debug::kVariable || tag == debug::kFormalParameter)
        if (auto made = variable(i)) found.push_back(std::move(*made));
    return found;
  }

 private:
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

  // Limits of the members that a type lists.
  struct Depth {
    int records = 0;          // in records
    int pointed_records = 0;  // in what pointers point to; below 0: pointers are not followed
  };

  // `left`: how many members may still be listed.
  DebugType type(const DebugEntry* entry, Depth depth, std::size_t& left) const {
    DebugType out;
    for (int i = 0; entry != nullptr && i < kDeepest; ++i) {
      switch (entry->tag) {
        case debug::kArray:
          extents(*entry, out);
          break;
        case debug::kBase:
          out.kind = kind_of(from_.number(*entry, debug::kEncoding));
          out.bytes = from_.number(*entry, debug::kByteSize);
          out.name = from_.text(entry->find(debug::kName));
          return out;
        case debug::kEnumeration:
          out.kind = DebugType::Kind::integer;
          out.bytes = from_.number(*entry, debug::kByteSize);
          out.name = from_.text(entry->find(debug::kName));
          return out;
        case debug::kPointer:
        case debug::kReference:
        case debug::kRvalueReference:
          out.kind = DebugType::Kind::pointer;
          out.bytes = 8;
          pointed(from_.at_reference(entry->find(debug::kType)), depth, left, out);
          return out;
        case debug::kStructure:
        case debug::kClass:
        case debug::kUnion:
          out.kind = DebugType::Kind::record;
          out.bytes = from_.number(*entry, debug::kByteSize);
          out.name = from_.text(entry->find(debug::kName));
          if (depth.records > 0) members(*entry, {depth.records - 1, depth.pointed_records}, left, out);
          return out;
        default:
          break;  // typedef, const, volatile
      }
      entry = from_.at_reference(entry->find(debug::kType));
    }
    return out;
  }

  void pointed(const DebugEntry* entry, Depth depth, std::size_t& left, DebugType& pointer) const {
    DebugType to = type(entry, {std::max(depth.pointed_records, 0), -1}, left);
    pointer.name = to.name + "*";
    if (depth.pointed_records >= 0) pointer.to.push_back(std::move(to));
  }

  void members(const DebugEntry& record, Depth depth, std::size_t& left, DebugType& to) const {
    const std::size_t index = from_.index_of(record);
    for (std::size_t i = index + 1; i < from_.all().size() && from_.all()[i].parent >= index; ++i) {
      const DebugEntry& at = from_.all()[i];
      if (at.parent != index || (at.tag != debug::kMember && at.tag != debug::kInheritance)) continue;
      const auto offset = offset_of(at.find(debug::kMemberLocation));
      if (!offset && record.tag != debug::kUnion) continue;  // a static member
      if (left == 0) return;
      --left;
      std::string name = from_.text(at.find(debug::kName));
      if (name.starts_with(kBase)) name.clear();
      to.members.push_back({std::move(name), offset.value_or(0),
                            type(from_.at_reference(at.find(debug::kType)), depth, left)});
    }
  }

  // A number, or an expression that adds one to the record's address.
  static std::optional<std::uint64_t> offset_of(const DebugAttribute* location) {
    if (location == nullptr) return std::nullopt;
    if (location->block.empty()) return location->number;
    DwarfBytes bytes(location->block);
    if (bytes.read<std::uint8_t>() != kOpPlusConstant) return std::nullopt;
    return bytes.unsigned_leb();
  }

  void extents(const DebugEntry& array, DebugType& to) const {
    const auto index = from_.index_of(array);
    for (std::size_t i = index + 1; i < from_.all().size() && from_.all()[i].parent >= index; ++i) {
      if (from_.all()[i].parent != index || from_.all()[i].tag != debug::kSubrange) continue;
      const DebugAttribute *count = from_.all()[i].find(debug::kCount),
                           *upper = from_.all()[i].find(debug::kUpperBound);
      to.extents.push_back(count != nullptr ? count->number : upper != nullptr ? upper->number + 1 : 0);
    }
  }

  // Instructions of the innermost scope around the entry that has some, and its function.
  std::optional<std::pair<DebugLabel, DebugLabel>> scope(std::size_t index) const {
    while (from_.all()[index].parent != index) {
      index = from_.all()[index].parent;
      const DebugEntry& at = from_.all()[index];
      const auto low = from_.label(at.find(debug::kLowPc) ? at.find(debug::kLowPc)->reference : nullptr);
      const auto high = from_.label(at.find(debug::kHighPc) ? at.find(debug::kHighPc)->reference : nullptr);
      if (low && high &&
          (at.tag == debug::kSubprogram || at.tag == debug::kLexicalBlock || at.tag == debug::kInlined))
        return std::pair(*low, *high);
    }
    return std::nullopt;
  }

  // Which parameter of its function it is.
  int position(std::size_t index) const {
    const std::size_t function = from_.all()[index].parent;
    if (from_.all()[function].tag != debug::kSubprogram) return -1;
    int before = 0;
    for (std::size_t i = function + 1; i < index; ++i)
      before += from_.all()[i].parent == function && from_.all()[i].tag == debug::kFormalParameter;
    return before;
  }

  std::optional<DebugVariable> variable(std::size_t index) const {
    const DebugEntry& entry = from_.all()[index];
    DebugVariable out;
    out.name = from_.text(from_.attribute(entry, debug::kName));
    if (out.name.empty() || from_.attribute(entry, debug::kArtificial) != nullptr) return std::nullopt;
    out.line = static_cast<int>(from_.number(entry, debug::kLine));
    out.is_parameter = entry.tag == debug::kFormalParameter;
    std::size_t members = kMostMembers;
    const Depth depth{kDeepestRecord, out.is_parameter ? kDeepestRecord : -1};
    out.type = type(from_.at_reference(from_.attribute(entry, debug::kType)), depth, members);
    if (out.is_parameter) out.position = position(index);
    if (const auto around = scope(index)) {
      out.function = around->first.function;
      out.first = around->first.instruction;
      out.end = around->second.instruction;
    }
    const DebugAttribute* location = entry.find(debug::kLocation);
    if (location != nullptr && (location->form == dwarf::kBlock1 || location->form == dwarf::kExprloc)) {
      const ptx::DebugSection* info = from_.section("debug_info");
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
  void location_list(const DebugAttribute& location, DebugVariable& to) const {
    const ptx::DebugSection* list = from_.section("debug_loc");
    if (list == nullptr) return;
    const std::size_t at = DebugEntries::offset_in(*list, location);
    if (at >= list->content.size()) return;
    DebugReader reader(*list, at, list->content.size());
    while (!reader.bytes().done()) {
      const auto* low = reader.reference();
      const auto first = reader.bytes().read<std::uint64_t>();
      const auto* high = reader.reference();
      const auto last = reader.bytes().read<std::uint64_t>();
      if (low == nullptr && high == nullptr && first == 0 && last == 0) return;
      const auto size = reader.bytes().read<std::uint16_t>();
      const auto from = from_.label(low), end = from_.label(high);
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
    DebugReader reader(in, at, at + size);
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

  const DebugEntries from_;
};

}  // namespace

std::vector<DebugVariable> debug_variables(const ptx::Module& module) { return Variables(module).take(); }

}  // namespace warpgrade::emulator
