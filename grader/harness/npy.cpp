#include "npy.hpp"

#include <bit>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "errors.hpp"

namespace warpgrade::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "the files hold little-endian numbers");

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);  // format version 1.0
constexpr std::size_t alignment = 64;                      // of the first number

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "<f4" : "<f8";

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what) {
  throw DataError(file.string() + ": " + what +
                  ". Delete the data set and make it again with build/datasets/generate.");
}

// The dictionary between the magic number and the numbers, padded to align the numbers.
std::string header(const char* type, int rows, int columns) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(columns) + "), }";
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
  std::string_view type, fortran_order, rows, columns;
};

// Parses the header of a matrix as header() and NumPy write it; false for anything else.
bool parse(std::string_view text, Header& to) {
  if (!take(text, "{'descr': '")) return false;
  to.type = take_while(text, [](char c) { return c != '\''; });
  if (!take(text, "', 'fortran_order': ")) return false;
  to.fortran_order = take_while(text, [](char c) { return c != ','; });
  if (to.fortran_order != "True" && to.fortran_order != "False") return false;
  if (!take(text, ",")) return false;
  take_spaces(text);
  if (!take(text, "'shape': (")) return false;
  to.rows = take_digits(text);
  if (to.rows.empty() || !take(text, ", ")) return false;
  to.columns = take_digits(text);
  if (to.columns.empty() || !take(text, ")")) return false;
  take(text, ",");
  take_spaces(text);
  if (!take(text, "}")) return false;
  take_spaces(text);
  take(text, "\n");
  return text.empty();
}

int dimension(std::string_view digits, const std::filesystem::path& file) {
  const unsigned long long value = digits.size() > 10 ? ~0ULL : std::stoull(std::string(digits));
  if (value > static_cast<unsigned long long>(std::numeric_limits<int>::max()))
    damaged(file, "a dimension is too large");
  return static_cast<int>(value);
}

}  // namespace

template <class T>
void write_npy(const std::filesystem::path& file, const Matrix<T>& matrix) {
  const std::string text = header(type_name<T>, matrix.rows, matrix.columns);
  std::ofstream out(file, std::ios::binary);
  out.write(magic.data(), static_cast<std::streamsize>(magic.size()));
  out.put(static_cast<char>(text.size() & 0xff));
  out.put(static_cast<char>(text.size() >> 8));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.write(reinterpret_cast<const char*>(matrix.values.data()),
            static_cast<std::streamsize>(matrix.bytes()));
  out.close();
  if (!out) throw DataError("cannot write " + file.string() + ". Is the disk full, or the folder read-only?");
}

template <class T>
Matrix<T> read_npy(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) damaged(file, "the file is missing");
  char start[10] = {};
  if (!in.read(start, sizeof start) || std::string_view(start, magic.size()) != magic)
    damaged(file, "this is no .npy file of version 1.0");
  const std::size_t length = static_cast<std::uint8_t>(start[8]) + 256u * static_cast<std::uint8_t>(start[9]);
  std::string text(length, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) damaged(file, "its header is cut short");

  Header says;
  if (!parse(text, says)) damaged(file, "its header does not describe a matrix");
  if (says.type != type_name<T>)
    damaged(file, "it holds '" + std::string(says.type) + "' where '" + type_name<T> + "' is expected");
  if (says.fortran_order != "False") damaged(file, "it is in Fortran order, where C order is expected");

  const int rows = dimension(says.rows, file);
  const int columns = dimension(says.columns, file);
  const std::uintmax_t expected_size =
      sizeof start + length +
      sizeof(T) * static_cast<std::uintmax_t>(rows) * static_cast<std::uintmax_t>(columns);
  if (std::filesystem::file_size(file) != expected_size)
    damaged(file,
            "its size does not fit a matrix of " + std::string(says.rows) + "×" + std::string(says.columns));
  Matrix<T> matrix(rows, columns);
  if (!in.read(reinterpret_cast<char*>(matrix.values.data()), static_cast<std::streamsize>(matrix.bytes())))
    damaged(file, "it cannot be read to its end");
  return matrix;
}

template void write_npy(const std::filesystem::path&, const Matrix<float>&);
template void write_npy(const std::filesystem::path&, const Matrix<double>&);
template Matrix<float> read_npy(const std::filesystem::path&);
template Matrix<double> read_npy(const std::filesystem::path&);

}  // namespace warpgrade::harness
