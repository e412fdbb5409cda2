#include "fatbin/dwarf_lines.hpp"

#include <cstring>

#include "fatbin/container.hpp"

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

// Bytes from the front of a table; where they end too early, it throws.
class Reader {
 public:
  Reader(std::string_view bytes, std::size_t at, std::size_t end) : bytes_(bytes), at_(at), end_(end) {
    if (end > bytes.size() || at > end) cut_off();
  }
  bool done() const { return at_ >= end_; }
  std::size_t at() const { return at_; }
  void skip(std::uint64_t count) {
    if (count > end_ - at_) cut_off();
    at_ += count;
  }

  template <class T>
  T read() {
    const std::size_t from = at_;
    skip(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + from, sizeof value);
    return value;
  }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }

 private:
  [[noreturn]] static void cut_off() { throw FormatError("the cubin's line table is cut off"); }
  std::uint64_t leb(bool sign) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = read<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (sign && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
  }

  std::string_view bytes_;
  std::size_t at_, end_;
};

// The header's part that the program needs.
struct Header {
  std::uint8_t step = 1;  // bytes of one step of an address
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1, first_special = 10;
  std::vector<std::uint8_t> operands;  // number of operands of each standard code, from code 1 on
};

class LineProgram {
 public:
  LineProgram(Reader& in, const Header& header,
              const std::unordered_map<std::uint64_t, std::uint32_t>& section_at,
              std::unordered_map<std::uint32_t, Lines>& out)
      : in_(in), header_(header), section_at_(section_at), out_(out) {}

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
      const auto section = section_at_.find(in_.at());
      known_ = section != section_at_.end();
      if (known_) section_ = section->second;
      address_ = in_.read<std::uint64_t>();
      return;
    }
    in_.skip(bytes - 1);
  }

  Reader& in_;
  const Header& header_;
  const std::unordered_map<std::uint64_t, std::uint32_t>& section_at_;
  std::unordered_map<std::uint32_t, Lines>& out_;
  std::uint64_t address_ = 0;
  std::int64_t line_ = 1;
  std::uint32_t section_ = 0;
  bool known_ = false;
};

}  // namespace

std::unordered_map<std::uint32_t, Lines> read_line_table(
    std::string_view table, const std::unordered_map<std::uint64_t, std::uint32_t>& section_at) {
  std::unordered_map<std::uint32_t, Lines> found;
  for (std::size_t begin = 0; begin < table.size();) {
    Reader front(table, begin, table.size());
    const auto bytes = front.read<std::uint32_t>();
    Reader in(table, front.at(), front.at() + bytes);
    begin = front.at() + bytes;
    if (in.read<std::uint16_t>() != 2) continue;  // another version: not what this toolkit writes
    const auto header_bytes = in.read<std::uint32_t>();
    const std::size_t program = in.at() + header_bytes;
    Header header;
    header.step = in.read<std::uint8_t>();
    in.skip(1);  // default_is_stmt
    header.line_base = in.read<std::int8_t>();
    header.line_range = in.read<std::uint8_t>();
    header.first_special = in.read<std::uint8_t>();
    if (header.line_range == 0 || header.first_special == 0)
      throw FormatError("the cubin's line table has an impossible header");
    for (unsigned code = 1; code < header.first_special; ++code)
      header.operands.push_back(in.read<std::uint8_t>());
    if (program < in.at()) throw FormatError("the cubin's line table has an impossible header");
    in.skip(program - in.at());  // names of folders and files
    LineProgram(in, header, section_at, found).run();
  }
  return found;
}

int line_of(const Lines& lines, std::uint64_t address) {
  auto behind = lines.upper_bound(address);
  return behind == lines.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace warpgrade::fatbin
