#include "symbols/dwarf_line_table.hpp"

#include "symbols/dwarf_values.hpp"

namespace warpgrade::emulator {
namespace {

// DWARF 5, section 6.2.4.1: what an entry of folders or files holds.
enum Content : std::uint64_t { kPath = 1, kDirectory = 2 };
using namespace dwarf;

}  // namespace

LineUnit::LineUnit(std::string_view unit, const DwarfSections& all)
    : all_(all), program_(DwarfBytes({}), {}) {
  DwarfBytes in(unit);
  version_ = in.read<std::uint16_t>();
  if (version_ < 2 || version_ > 5) return;
  if (version_ == 5) in.take(2);  // sizes of an address and of a segment selector
  DwarfBytes front(in.take(in.read<std::uint32_t>()));
  fatbin::LineHeader header(front, version_);
  if (version_ == 5) {
    for (const FileEntry& each : entries(front)) directories_.push_back(each.path);
    files_ = entries(front);
  } else {
    read_old_files(front);
  }
  is_valid_ = !front.failed && header.is_possible();
  program_ = fatbin::LineProgram(in, std::move(header));
}

LineRow LineUnit::row_of(std::uint64_t address) {
  using LineEvent = fatbin::LineProgram::LineEvent;
  std::vector<LineRow> rows;
  while (is_valid_ && !program_.done()) {
    const LineEvent step = program_.next();
    if (step == LineEvent::row) rows.push_back(program_.row());
    if (step != LineEvent::end) continue;
    if (!rows.empty() && rows.front().address <= address && address < program_.row().address) {
      while (rows.back().address > address) rows.pop_back();
      return rows.back();
    }
    rows.clear();
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
      const DwarfValue value = read_value(in, {content, form, 0});
      std::string_view text = value.bytes;
      if (form == kLineStrp) text = string_at(all_.line_strings, value.number);
      if (form == kStrp) text = string_at(all_.strings, value.number);
      if (content == kPath) made.path = text;
      if (content == kDirectory) made.directory = value.number;
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

}  // namespace warpgrade::emulator
