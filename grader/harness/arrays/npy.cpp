#include "arrays/npy.hpp"

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "the files hold little-endian numbers");

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);  // format version 1.0
constexpr std::size_t alignment = 64;                      // alignment of the first number

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what) {
  throw DataError(file.string() + ": " + what +
                  ". Delete the data set and make it again with the harness's --mode make.");
}

// "(3, 4)"; of one extent "(3,)", as Python writes a tuple.
std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// "3×4"
std::string by_extents(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : "×") + std::to_string(extent);
  return text;
}

// The dictionary between the magic number and the numbers, padded to align the numbers.
std::string header(const char* type, const Shape& shape) {
  std::string text =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + tuple(shape) + ", }";
  const std::size_t before_text = magic.size() + 2;  // two bytes hold the length of the text
  const std::size_t unpadded = before_text + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  return text + '\n';
}

// Parsers of a header: each removes from `text` what it has read.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}
std::string_view take_while(std::string_view& text, bool (*belongs)(char)) {
  std::size_t length = 0;
  while (length < text.size() && belongs(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}
std::string_view take_spaces(std::string_view& text) {
  return take_while(text, [](char c) { return c == ' '; });
}
std::string_view take_digits(std::string_view& text) {
  return take_while(text, [](char c) { return c >= '0' && c <= '9'; });
}

struct Header {
  std::string_view type, fortran_order;
  Shape shape;
};

// Parses "3, 4)" or "3,)"; false for anything else.
bool parse_shape(std::string_view& text, Shape& shape) {
  constexpr std::size_t most_digits = 12;
  while (!take(text, ")")) {
    const std::string_view digits = take_digits(text);
    if (digits.empty() || digits.size() > most_digits) return false;
    shape.push_back(std::stoll(std::string(digits)));
    if (take(text, ","))
      take_spaces(text);
    else if (!text.starts_with(")"))
      return false;
  }
  return !shape.empty();
}

// Parses the header of an array as header() and NumPy write it; false for anything else.
bool parse(std::string_view text, Header& to) {
  if (!take(text, "{'descr': '")) return false;
  to.type = take_while(text, [](char c) { return c != '\''; });
  if (!take(text, "', 'fortran_order': ")) return false;
  to.fortran_order = take_while(text, [](char c) { return c != ','; });
  if (to.fortran_order != "True" && to.fortran_order != "False") return false;
  if (!take(text, ",")) return false;
  take_spaces(text);
  if (!take(text, "'shape': (")) return false;
  if (!parse_shape(text, to.shape)) return false;
  take(text, ",");
  take_spaces(text);
  if (!take(text, "}")) return false;
  take_spaces(text);
  take(text, "\n");
  return text.empty();
}

}  // namespace

void write_npy(const std::filesystem::path& file, const Array& array) {
  const std::string text = header(numpy_type(array.type), array.shape);
  std::ofstream out(file, std::ios::binary);
  out.write(magic.data(), static_cast<std::streamsize>(magic.size()));
  out.put(static_cast<char>(text.size() & 0xff));
  out.put(static_cast<char>(text.size() >> 8));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.write(reinterpret_cast<const char*>(array.bytes.data()),
            static_cast<std::streamsize>(array.bytes.size()));
  out.close();
  if (!out) throw DataError("cannot write " + file.string() + ". Is the disk full, or the folder read-only?");
}

void read_npy(const std::filesystem::path& file, Array& array) {
  std::ifstream in(file, std::ios::binary);
  if (!in) damaged(file, "the file is missing");
  char start[10] = {};
  if (!in.read(start, sizeof start) || std::string_view(start, magic.size()) != magic)
    damaged(file, "this is not an .npy file of version 1.0");
  const std::size_t length = static_cast<std::uint8_t>(start[8]) + 256u * static_cast<std::uint8_t>(start[9]);
  std::string text(length, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) damaged(file, "its header is cut short");

  Header says;
  if (!parse(text, says)) damaged(file, "its header does not describe an array");
  const std::string_view type = numpy_type(array.type);
  if (says.type != type)
    damaged(file, "it holds '" + std::string(says.type) + "' where '" + std::string(type) + "' is expected");
  if (says.fortran_order != "False") damaged(file, "it is in Fortran order, where C order is expected");
  if (says.shape != array.shape)
    damaged(file, "it holds " + by_extents(says.shape) + " numbers, but the case asks for " +
                      by_extents(array.shape));
  array.bytes.resize(array.count() * size_of(array.type));
  if (std::filesystem::file_size(file) != sizeof start + length + array.bytes.size())
    damaged(file, "its size does not fit an array of " + by_extents(says.shape));
  if (!in.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size())))
    damaged(file, "it cannot be read to its end");
}

}  // namespace warpgrade::harness
