// Reads and writes arrays of numbers as .npy files, which NumPy opens with numpy.load():
// read_npy<double>(path), write_npy(path, values, {rows, columns}). Without a type it reads float.
//
// <string> and <fstream> are left out: with them a program takes half as long again to compile.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <type_traits>
#include <vector>

// Says which file cannot be read or written, and why.
class NpyError : public std::exception {
 public:
  NpyError(const char* path, const char* why, const char* type = "") {
    std::snprintf(text_, sizeof text_, "%s %s%s", path, why, type);
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[256];
};

// An open file, or one that cannot be opened.
struct NpyFile {
  NpyFile(const char* path, const char* mode) : file(std::fopen(path, mode)) {}
  NpyFile(const NpyFile&) = delete;
  ~NpyFile() { close(); }
  bool read(void* to, std::size_t bytes) const { return file && std::fread(to, 1, bytes, file) == bytes; }
  bool write(const void* from, std::size_t bytes) const {
    return file && std::fwrite(from, 1, bytes, file) == bytes;
  }
  bool close() {
    std::FILE* const open = file;
    file = nullptr;
    return open && std::fclose(open) == 0;
  }
  std::FILE* file;
};

// How NumPy names an element type: '<f4', '|u1', with its quotes.
template <class T>
struct NpyType {
  static_assert(std::is_arithmetic<T>::value, "a .npy file holds numbers");
  static constexpr char kind = std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 'i' : 'u';
  const char name[6] = {'\'', sizeof(T) == 1 ? '|' : '<', kind, '0' + sizeof(T), '\'', '\0'};
};

// The elements, row by row; extents, the slowest first, are added to `extents`. Throws NpyError where the
// file is missing or holds another type.
template <class T = float>
std::vector<T> read_npy(const char* path, std::vector<std::size_t>* extents = nullptr) {
  const NpyFile in(path, "rb");
  unsigned char before[10];  // "\x93NUMPY", two bytes of version, the length of the head
  if (!in.read(before, sizeof before) || std::memcmp(before, "\x93NUMPY", 6) != 0)
    throw NpyError(path, "is no .npy file");
  std::vector<char> head(before[8] + before[9] * std::size_t{256} + 1);  // ends with a null character
  const bool is_whole = in.read(head.data(), head.size() - 1);
  const char* const shape = std::strstr(head.data(), "'shape': (");
  const NpyType<T> type;
  if (!is_whole || !shape || !std::strstr(head.data(), type.name))
    throw NpyError(path, "holds no array of ", type.name);
  std::size_t elements = 1;
  for (const char* at = shape + 10; *at >= '0' && *at <= '9';) {
    char* end = nullptr;
    const std::size_t extent = std::strtoul(at, &end, 10);
    elements *= extent;
    if (extents) extents->push_back(extent);
    at = end + std::strspn(end, ", ");
  }
  std::vector<T> values(elements);
  if (!in.read(values.data(), values.size() * sizeof(T))) throw NpyError(path, "is too short");
  return values;
}

// `shape`: the slowest dimension first, at most eight. Throws NpyError where the file cannot be written.
template <class T>
void write_npy(const char* path, const T* values, const std::vector<std::size_t>& shape) {
  char before[320] = "\x93NUMPY\x01";  // the next byte is the other one of the version
  char* const head = before + 10;
  int length = std::snprintf(head, 64, "{'descr': %s, 'fortran_order': False, 'shape': (", NpyType<T>().name);
  std::size_t elements = 1;
  if (shape.size() > 8) throw NpyError(path, "cannot hold more than eight dimensions");
  for (const std::size_t extent : shape) {
    elements *= extent;
    length += std::snprintf(head + length, 24, "%zu,", extent);
  }
  length += std::snprintf(head + length, 8, "), }");
  const int whole = (length + 10 + 64) / 64 * 64 - 10;  // so that the elements begin at a multiple of 64
  std::memset(head + length, ' ', whole - length - 1);
  head[whole - 1] = '\n';
  before[8] = static_cast<char>(whole % 256);
  before[9] = static_cast<char>(whole / 256);
  NpyFile out(path, "wb");
  const bool is_written = out.write(before, 10 + whole) && out.write(values, elements * sizeof(T));
  if (!out.close() || !is_written) throw NpyError(path, "cannot be written");
}

// An array of one dimension.
template <class T>
void write_npy(const char* path, const T* values, std::size_t n) {
  write_npy(path, values, std::vector<std::size_t>{n});
}
