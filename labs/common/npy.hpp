// Reads and writes one-dimensional arrays of float as .npy files, which NumPy opens with numpy.load().
#pragma once

#include <cstdint>
#include <cstdio>  // <fstream> adds a fifth to the time in which a program compiles
#include <cstdlib>
#include <stdexcept>
#include <string>
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

// Throws std::runtime_error where the file is missing or holds anything else.
inline std::vector<float> read_npy(const char* path) {
  const NpyFile in(path, "rb");
  char head[10];
  if (!in.read(head, sizeof head) || std::string(head, 6) != "\x93NUMPY")
    throw std::runtime_error(std::string(path) + " is no .npy file");
  std::string text(static_cast<unsigned char>(head[8]) + (static_cast<unsigned char>(head[9]) << 8), ' ');
  const bool is_whole = in.read(text.data(), text.size());
  const std::size_t shape = text.find("'shape': (");
  if (!is_whole || text.find("'<f4'") == std::string::npos || shape == std::string::npos)
    throw std::runtime_error(std::string(path) + " holds no array of float");
  std::vector<float> values(std::strtoul(text.c_str() + shape + 10, nullptr, 10));
  if (!in.read(values.data(), values.size() * sizeof(float)))
    throw std::runtime_error(std::string(path) + " is too short");
  return values;
}

// Throws std::runtime_error where the file cannot be written.
inline void write_npy(const char* path, const float* values, std::size_t n) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(n) + ",), }";
  head.resize((10 + head.size() + 64) / 64 * 64 - 11, ' ');  // so that the elements begin at a multiple of 64
  head += '\n';
  const std::string before = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size() % 256) +
                             static_cast<char>(head.size() / 256) + head;
  NpyFile out(path, "wb");
  const bool is_whole = out.write(before.data(), before.size()) && out.write(values, n * sizeof(float));
  if (!out.close() || !is_whole) throw std::runtime_error(std::string(path) + " cannot be written");
}
