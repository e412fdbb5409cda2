#include "symbols/dwarf_line_table.hpp"

namespace warpgrade::emulator {
namespace {

// DWARF 5, sections 6.2.5.2, 6.2.5.3, 6.2.4.1 and 7.5.6: codes of the line table.
enum Standard : std::uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddAddress = 8,
  kFixedAdvanceAddress = 9,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };
enum Content : std::uint64_t { kPath = 1, kDirectory = 2 };
using namespace dwarf;

}  // namespace

LineUnit::LineUnit(std::string_view unit, const DwarfSections& all) : in_(unit), all_(all) {
  version_ = in_.read<std::uint16_t>();
  if (version_ < 2 || version_ > 5) return;
  if (version_ == 5) in_.take(2);  // sizes of an address and of a segment selector
  const auto bytes = in_.read<std::uint32_t>();
  DwarfBytes header(in_.take(bytes));
  step_ = header.read<std::uint8_t>();
  header.take(version_ >= 4 ? 2 : 1);  // operations of an instruction, default_is_stmt
  line_base_ = header.read<std::int8_t>();
  line_range_ = header.read<std::uint8_t>();
  first_special_ = header.read<std::uint8_t>();
  for (unsigned code = 1; code < first_special_; ++code) operands_.push_back(header.read<std::uint8_t>());
  if (version_ == 5) {
    for (const FileEntry& each : entries(header)) directories_.push_back(each.path);
    files_ = entries(header);
  } else {
    read_old_files(header);
  }
  is_valid_ = !header.failed && line_range_ != 0 && first_special_ != 0;
}

LineRow LineUnit::row_of(std::uint64_t address) {
  std::vector<LineRow> rows;
  LineRow row{0, 1, 1};
  while (is_valid_ && !in_.done()) {
    const bool ends = step(row, rows);
    if (!ends) continue;
    if (!rows.empty() && rows.front().address <= address && address < row.address) {
      while (rows.back().address > address) rows.pop_back();
      return rows.back();
    }
    rows.clear();
    row = {0, 1, 1};
  }
  return {};
}

std::string LineUnit::file(std::uint64_t number) const {
  const std::uint64_t index = version_ == 5 ? number : number - 1;
  if (index >= files_.size()) return {};
  const FileEntry& of = files_[index];
  const std::uint64_t folder = version_ == 5 ? of.directory : of.directory - 1;
  if (of.path.starts_with("/") || folder >= directories_.size()) return of.path;
  const std::string& first = directories_[folder];
  const bool relative = version_ == 5 && !first.starts_with("/") && !directories_.empty();
  return (relative ? directories_[0] + "/" : std::string()) + first + "/" + of.path;
}

std::vector<LineUnit::FileEntry> LineUnit::entries(DwarfBytes& in) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format(in.read<std::uint8_t>());
  for (auto& [content, form] : format) content = in.unsigned_leb(), form = in.unsigned_leb();
  std::vector<FileEntry> out;
  for (std::uint64_t n = in.unsigned_leb(); n != 0 && !in.failed; --n) {
    FileEntry& made = out.emplace_back();
    for (const auto& [content, form] : format) {
      std::uint64_t value = 0;
      std::string_view text;
      switch (form) {
        case kString:
          text = in.text();
          break;
        case kLineStrp:
          text = string_at(all_.line_strings, in.read<std::uint32_t>());
          break;
        case kStrp:
          text = string_at(all_.strings, in.read<std::uint32_t>());
          break;
        case kUdata:
          value = in.unsigned_leb();
          break;
        case kData1:
          value = in.read<std::uint8_t>();
          break;
        case kData2:
          value = in.read<std::uint16_t>();
          break;
        case kData16:
          in.take(16);
          break;
        case kBlock:
          in.take(in.unsigned_leb());
          break;
        default:
          in.failed = true;
      }
      if (content == kPath) made.path = text;
      if (content == kDirectory) made.directory = value;
    }
  }
  return out;
}

void LineUnit::read_old_files(DwarfBytes& in) {
  for (std::string_view each = in.text(); !each.empty(); each = in.text()) directories_.emplace_back(each);
  for (std::string_view each = in.text(); !each.empty(); each = in.text()) {
    FileEntry& made = files_.emplace_back();
    made.path = each;
    made.directory = in.unsigned_leb();
    in.unsigned_leb();  // time and length
    in.unsigned_leb();
  }
}

// Executes one code. True at the end of a sequence; row.address is then behind its last byte.
bool LineUnit::step(LineRow& row, std::vector<LineRow>& rows) {
  const auto code = in_.read<std::uint8_t>();
  if (code >= first_special_) {
    advance(row, (code - first_special_) / unsigned{line_range_});
    row.line += line_base_ + (code - first_special_) % line_range_;
    rows.push_back(row);
    return false;
  }
  switch (code) {
    case kExtended: {
      DwarfBytes operand(in_.take(in_.unsigned_leb()));
      const auto what = operand.read<std::uint8_t>();
      if (what == kSetAddress) row.address = operand.read<std::uint64_t>();
      return what == kEndSequence;
    }
    case kCopy:
      rows.push_back(row);
      break;
    case kAdvanceAddress:
      advance(row, in_.unsigned_leb());
      break;
    case kAdvanceLine:
      row.line += static_cast<int>(in_.signed_leb());
      break;
    case kSetFile:
      row.file = in_.unsigned_leb();
      break;
    case kConstAddAddress:
      advance(row, (255u - first_special_) / unsigned{line_range_});
      break;
    case kFixedAdvanceAddress:
      row.address += in_.read<std::uint16_t>();
      break;
    default:  // what these say (column, statement …) is not needed
      for (unsigned i = 0; i < operands_[code - 1u]; ++i) in_.unsigned_leb();
  }
  return false;
}

}  // namespace warpgrade::emulator
