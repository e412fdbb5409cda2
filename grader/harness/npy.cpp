#include "npy.hpp"

#include <bit>
#include <cstdint>
#include <fstream>
#include <limits>
#include <regex>
#include <string>

#include "errors.hpp"

namespace warpgrade::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "the files hold little-endian numbers");

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);  // format version 1.0
constexpr std::size_t alignment = 64;                      // where the numbers start

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "<f4" : "<f8";

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what) {
  throw DataError(file.string() + ": " + what +
                  ". Delete the data set and make it again with build/datasets/generate.");
}

// The dictionary that stands between the magic number and the numbers, padded so that these are aligned.
std::string header(const char* type, int rows, int columns) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  const std::size_t before_text = magic.size() + 2;  // two bytes hold the length of the text
  const std::size_t unpadded = before_text + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  return text + '\n';
}

int dimension(const std::string& digits, const std::filesystem::path& file) {
  const unsigned long long value = digits.size() > 10 ? ~0ULL : std::stoull(digits);
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

  static const std::regex expected(
      R"(\{'descr': '([^']*)', 'fortran_order': (True|False), *'shape': \((\d+), (\d+)\),? *\} *\n?)");
  std::smatch part;
  if (!std::regex_match(text, part, expected)) damaged(file, "its header does not describe a matrix");
  if (part[1] != type_name<T>)
    damaged(file, "it holds '" + part[1].str() + "' where '" + type_name<T> + "' is expected");
  if (part[2] != "False") damaged(file, "it is in Fortran order, where C order is expected");

  const int rows = dimension(part[3], file);
  const int columns = dimension(part[4], file);
  const std::uintmax_t expected_size =
      sizeof start + length +
      sizeof(T) * static_cast<std::uintmax_t>(rows) * static_cast<std::uintmax_t>(columns);
  if (std::filesystem::file_size(file) != expected_size)
    damaged(file, "its size does not fit a matrix of " + part[3].str() + "×" + part[4].str());
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
