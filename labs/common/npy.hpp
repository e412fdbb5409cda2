// Reads and writes arrays of numbers as .npy files, which NumPy opens with numpy.load():
// read_npy<double>(path), write_npy(path, values, {rows, columns}). Without a type it reads float.
#pragma once

#include <cstdint>
#include <cstdio>  // <fstream> adds a fifth to the time in which a program compiles
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

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

// How NumPy names an element type: '<f4', '|u1'.
template <class T>
std::string npy_type() {
  static_assert(std::is_arithmetic<T>::value, "a .npy file holds numbers");
  const char kind = std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 'i' : 'u';
  return std::string(1, sizeof(T) == 1 ? '|' : '<') + kind + std::to_string(sizeof(T));
}

// The elements, row by row; extents, the slowest first, are added to `extents`. Throws std::runtime_error
// where the file is missing or holds another type.
template <class T = float>
std::vector<T> read_npy(const char* path, std::vector<std::size_t>* extents = nullptr) {
  const NpyFile in(path, "rb");
  char head[10];
  if (!in.read(head, sizeof head) || std::string(head, 6) != "\x93NUMPY")
    throw std::runtime_error(std::string(path) + " is no .npy file");
  std::string text(static_cast<unsigned char>(head[8]) + (static_cast<unsigned char>(head[9]) << 8), ' ');
  const bool is_whole = in.read(text.data(), text.size());
  const std::size_t shape = text.find("'shape': (");
  if (!is_whole || text.find("'" + npy_type<T>() + "'") == std::string::npos || shape == std::string::npos)
    throw std::runtime_error(std::string(path) + " holds no array of " + npy_type<T>());
  std::size_t elements = 1;
  for (const char* at = text.c_str() + shape + 10; *at >= '0' && *at <= '9';) {
    char* end = nullptr;
    const std::size_t extent = std::strtoul(at, &end, 10);
    elements *= extent;
    if (extents) extents->push_back(extent);
    at = end + std::strspn(end, ", ");
  }
  std::vector<T> values(elements);
  if (!in.read(values.data(), values.size() * sizeof(T)))
    throw std::runtime_error(std::string(path) + " is too short");
  return values;
}

// `shape`: the slowest dimension first. Throws std::runtime_error where the file cannot be written.
template <class T>
void write_npy(const char* path, const T* values, const std::vector<std::size_t>& shape) {
  std::size_t elements = 1;
  std::string extents;
  for (const std::size_t extent : shape) {
    elements *= extent;
    extents += std::to_string(extent) + ",";
  }
  std::string head =
      "{'descr': '" + npy_type<T>() + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  head.resize((10 + head.size() + 64) / 64 * 64 - 11, ' ');  // so that the elements begin at a multiple of 64
  head += '\n';
  const std::string before = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size() % 256) +
                             static_cast<char>(head.size() / 256) + head;
  NpyFile out(path, "wb");
  const bool is_whole = out.write(before.data(), before.size()) && out.write(values, elements * sizeof(T));
  if (!out.close() || !is_whole) throw std::runtime_error(std::string(path) + " cannot be written");
}

// An array of one dimension.
template <class T>
void write_npy(const char* path, const T* values, std::size_t n) {
  write_npy(path, values, std::vector<std::size_t>{n});
}
