#include "ptx/parser/debug_section.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace warpgrade::ptx {
namespace {

constexpr std::array<std::string_view, 4> kKept = {"debug_abbrev", "debug_info", "debug_loc", "debug_str"};
constexpr std::size_t kMost = std::size_t{64} << 20;  // bytes of a section; the rest is left out

int width_of(std::string_view directive) {
  if (directive == "b8") return 1;
  if (directive == "b16") return 2;
  if (directive == "b32") return 4;
  return directive == "b64" ? 8 : 0;
}

class SectionParser {
 public:
  SectionParser(Cursor& cursor, Locations& locations, DebugSection& section, bool strings)
      : cursor_(cursor), locations_(locations), section_(section), strings_(strings) {}

  // `label:` and lines `.b8 95,90,0` or `.b64 tmp1-begin0`. False at what no section with variables holds.
  bool parse() {
    while (!cursor_.at('}') && !cursor_.at_end()) {
      if (cursor_.at_word()) {
        label_ = cursor_.take().text;
        text_.clear();
        cursor_.expect(':', "behind a label");
        section_.labels.emplace(label_, section_.content.size());
        continue;
      }
      const int width = cursor_.at_directive() ? width_of(cursor_.peek().text) : 0;
      if (strings_ && width != 1) cursor_.fail("expected a label or .b8 in the section .debug_str");
      if (width == 0) return false;
      cursor_.take();
      do {
        if (!value(width)) return false;
      } while (cursor_.accept(','));
    }
    return true;
  }

 private:
  bool value(int width) {
    if (strings_) {
      const auto byte = static_cast<char>(cursor_.number("a byte", 255));
      put(static_cast<unsigned char>(byte), 1);
      if (byte != '\0')
        text_ += byte;
      else if (!label_.empty())
        locations_.name_label(std::exchange(label_, {}), text_);
      return true;
    }
    DebugSection::Reference reference{section_.content.size(), width, {}, {}, 0};
    bool negative = cursor_.accept('-');
    do {
      if (cursor_.at_word() || cursor_.at_directive()) {  // a label, or a section as in .debug_loc+204
        (negative ? reference.minus : reference.symbol) = cursor_.take().text;
      } else if (cursor_.peek().kind == Token::Kind::integer) {
        const auto bits = static_cast<std::int64_t>(cursor_.take().bits);
        reference.addend += negative ? -bits : bits;
      } else {
        return false;
      }
      negative = cursor_.at('-');
    } while (cursor_.accept('-') || cursor_.accept('+'));
    const bool named = !reference.symbol.empty() || !reference.minus.empty();
    put(named ? 0 : static_cast<std::uint64_t>(reference.addend), width);
    if (named) section_.references.push_back(std::move(reference));
    return true;
  }

  void put(std::uint64_t bits, int width) {
    if (section_.content.size() > kMost) return;
    for (int i = 0; i < width; ++i) section_.content += static_cast<char>(bits >> (8 * i) & 0xff);
  }

  Cursor& cursor_;
  Locations& locations_;
  DebugSection& section_;
  const bool strings_;
  std::string_view label_;
  std::string text_;
};

}  // namespace

void parse_section(Cursor& cursor, Locations& locations, Module& module) {
  if (!cursor.at_directive()) cursor.fail("expected a section's name, as in .section .debug_str");
  const std::string_view name = cursor.take().text;
  cursor.expect('{', "behind the section's name");
  if (std::find(kKept.begin(), kKept.end(), name) != kKept.end()) {
    DebugSection& section = module.debug[std::string(name)];
    if (!SectionParser(cursor, locations, section, name == "debug_str").parse()) section = {};
  }
  while (!cursor.at('}')) {
    if (cursor.at_end()) cursor.fail("expected '}' behind the section");
    cursor.take();
  }
  cursor.take();
}

}  // namespace warpgrade::ptx
