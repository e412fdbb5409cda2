// Reads and writes one-dimensional arrays of float as .npy files, which NumPy opens with numpy.load().
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

// Throws std::runtime_error where the file is missing or holds anything else.
inline std::vector<float> read_npy(const char* path) {
  std::ifstream in(path, std::ios::binary);
  char head[10];
  if (!in.read(head, sizeof head) || std::string(head, 6) != "\x93NUMPY")
    throw std::runtime_error(std::string(path) + " is no .npy file");
  std::string text(static_cast<unsigned char>(head[8]) + (static_cast<unsigned char>(head[9]) << 8), ' ');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::size_t shape = text.find("'shape': (");
  if (!in || text.find("'<f4'") == std::string::npos || shape == std::string::npos)
    throw std::runtime_error(std::string(path) + " holds no array of float");
  std::vector<float> values(std::strtoul(text.c_str() + shape + 10, nullptr, 10));
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!in) throw std::runtime_error(std::string(path) + " is too short");
  return values;
}

// Throws std::runtime_error where the file cannot be written.
inline void write_npy(const char* path, const float* values, std::size_t n) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(n) + ",), }";
  head.resize((10 + head.size() + 64) / 64 * 64 - 11, ' ');  // so that the elements begin at a multiple of 64
  head += '\n';
  std::ofstream out(path, std::ios::binary);
  out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size() % 256)
      << static_cast<char>(head.size() / 256) << head;
  out.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(n * sizeof(float)));
  if (!out.flush()) throw std::runtime_error(std::string(path) + " cannot be written");
}
