#include "fatbin/dwarf_lines.hpp"

#include "fatbin/container.hpp"
#include "fatbin/dwarf_bytes.hpp"

namespace warpgrade::fatbin {
namespace {

// DWARF 2, section 6.2: codes of the line number program.
enum Standard : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kConstAddAddress = 8,
  kFixedAdvanceAddress = 9,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

// The header's part that the program needs.
struct Header {
  std::uint8_t step = 1;  // bytes of one step of an address
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1, first_special = 10;
  std::vector<std::uint8_t> operands;  // number of operands of each standard code, from code 1 on
};

using SectionAt = std::unordered_map<std::uint64_t, std::uint32_t>;

class LineProgram {
 public:
  // `end`: the offset of the program's end in the table.
  LineProgram(DwarfBytes& in, std::size_t end, const Header& header, const SectionAt& section_at,
              std::unordered_map<std::uint32_t, Lines>& out)
      : in_(in), end_(end), header_(header), section_at_(section_at), out_(out) {}

  void run() {
    while (!in_.done()) step(in_.read<std::uint8_t>());
  }

 private:
  void add_row() {
    if (known_) out_[section_][address_] = static_cast<int>(line_);
  }
  void advance(std::uint64_t by) { address_ += by * header_.step; }
  std::uint64_t special_advance(unsigned code) const {
    return (code - header_.first_special) / header_.line_range;
  }

  void step(std::uint8_t code) {
    if (code >= header_.first_special) {
      advance(special_advance(code));
      line_ += header_.line_base + (code - header_.first_special) % header_.line_range;
      return add_row();
    }
    switch (code) {
      case kExtended:
        return extended();
      case kCopy:
        return add_row();
      case kAdvanceAddress:
        return advance(in_.unsigned_leb());
      case kAdvanceLine:
        line_ += in_.signed_leb();
        return;
      case kConstAddAddress:
        return advance(special_advance(255));
      case kFixedAdvanceAddress:
        address_ += in_.read<std::uint16_t>();
        return;
      default:  // what these say (file, column …) is not needed
        for (unsigned i = 0; i < header_.operands[code - 1u]; ++i) in_.unsigned_leb();
    }
  }

  void extended() {
    const std::uint64_t bytes = in_.unsigned_leb();
    if (bytes == 0) return;
    const auto code = in_.read<std::uint8_t>();
    if (code == kEndSequence) {
      address_ = 0, line_ = 1, known_ = false;
    } else if (code == kSetAddress && bytes == 9) {
      const auto section = section_at_.find(end_ - in_.left());
      known_ = section != section_at_.end();
      if (known_) section_ = section->second;
      address_ = in_.read<std::uint64_t>();
      return;
    }
    in_.take(bytes - 1);
  }

  DwarfBytes& in_;
  const std::size_t end_;
  const Header& header_;
  const SectionAt& section_at_;
  std::unordered_map<std::uint32_t, Lines>& out_;
  std::uint64_t address_ = 0;
  std::int64_t line_ = 1;
  std::uint32_t section_ = 0;
  bool known_ = false;
};

[[noreturn]] void refuse(const char* why) { throw FormatError(std::string("the cubin's line table ") + why); }

// The front of a unit, up to its line number program.
Header read_header(DwarfBytes& in) {
  const auto bytes = in.read<std::uint32_t>();
  if (bytes > in.left()) refuse("is cut off");
  const std::size_t program = in.left() - bytes;  // its bytes
  Header header;
  header.step = in.read<std::uint8_t>();
  in.take(1);  // default_is_stmt
  header.line_base = in.read<std::int8_t>();
  header.line_range = in.read<std::uint8_t>();
  header.first_special = in.read<std::uint8_t>();
  if (header.line_range == 0 || header.first_special == 0) refuse("has an impossible header");
  for (unsigned code = 1; code < header.first_special; ++code)
    header.operands.push_back(in.read<std::uint8_t>());
  if (in.left() < program) refuse("has an impossible header");
  in.take(in.left() - program);  // names of folders and files
  return header;
}

}  // namespace

std::unordered_map<std::uint32_t, Lines> read_line_table(std::string_view table,
                                                         const SectionAt& section_at) {
  std::unordered_map<std::uint32_t, Lines> found;
  for (DwarfBytes units(table); !units.done();) {
    DwarfBytes in(units.take(units.read<std::uint32_t>()));
    if (units.failed) refuse("is cut off");
    const auto version = in.read<std::uint16_t>();
    if (!in.failed && version != 2) continue;  // another version: not what this toolkit writes
    const Header header = read_header(in);
    LineProgram(in, table.size() - units.left(), header, section_at, found).run();
    if (in.failed) refuse("is cut off");
  }
  return found;
}

int line_of(const Lines& lines, std::uint64_t address) {
  auto behind = lines.upper_bound(address);
  return behind == lines.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace warpgrade::fatbin
