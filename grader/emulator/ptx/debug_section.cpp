#include "ptx/debug_section.hpp"

#include <string>
#include <utility>

namespace warpgrade::ptx {
namespace {

// `label:` and lines `.b8 95,90,0`: NUL-terminated strings of bytes.
void parse_strings(Cursor& cursor, Locations& locations) {
  std::string_view label;
  std::string text;
  while (!cursor.at('}')) {
    if (cursor.at_word()) {
      label = cursor.take().text;
      text.clear();
      cursor.expect(':', "behind a label");
      continue;
    }
    if (!cursor.accept_directive("b8")) cursor.fail("expected a label or .b8 in the section .debug_str");
    do {
      const auto byte = static_cast<char>(cursor.number("a byte", 255));
      if (byte != '\0')
        text += byte;
      else if (!label.empty())
        locations.name_label(std::exchange(label, {}), text);
    } while (cursor.accept(','));
  }
}

}  // namespace

void parse_section(Cursor& cursor, Locations& locations) {
  if (!cursor.at_directive()) cursor.fail("expected a section's name, as in .section .debug_str");
  const bool strings = cursor.take().text == "debug_str";
  cursor.expect('{', "behind the section's name");
  if (strings) parse_strings(cursor, locations);
  while (!cursor.at('}')) {
    if (cursor.at_end()) cursor.fail("expected '}' behind the section");
    cursor.take();
  }
  cursor.take();
}

}  // namespace warpgrade::ptx
