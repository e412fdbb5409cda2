// A matrix on the device between two guard bands.
//
// The guard bands hold known values, so an out-of-bounds write changes them. The bands of an input are NaN,
// so that an out-of-bounds read also spoils the result. An output starts as a NaN that no kernel computes,
// which distinguishes unwritten elements from wrong ones.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matrix.hpp"
#include "outcome.hpp"

namespace warpgrade::harness {

class DeviceMatrix {
 public:
  // An input: allocates and copies `host`, which must outlive this object. `name` is for messages.
  // The matrix starts `shift` floats after a multiple of 256 bytes, the alignment of cudaMalloc.
  DeviceMatrix(const char* name, const Matrix<float>& host, std::size_t shift = 0);
  // An output: allocates, fills with never_written.
  DeviceMatrix(const char* name, int rows, int columns, std::size_t shift = 0);
  ~DeviceMatrix();
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  float* data() const;
  Matrix<float> copy_back() const;

  // Replaces an input's values, or makes an output unwritten again. For timed rounds.
  void refill(const Matrix<float>& host);
  void clear();

  // Gives an output initial values, for a kernel that adds to them.
  void preset(const Matrix<float>& host);

  // A write of the kernel to a guard band or to an input, if there was one.
  std::optional<Outcome> fault() const;

 private:
  void allocate();
  void fill(const std::vector<std::uint32_t>& words);
  std::vector<std::uint32_t> words_with(const float* values) const;
  std::optional<Outcome> guard_fault(const std::vector<std::uint32_t>& now) const;

  std::size_t words_before() const;

  std::string name_;
  int rows_;
  int columns_;
  const Matrix<float>* input_;  // null for an output
  std::size_t shift_;
  unsigned char* memory_ = nullptr;
};

// The first fault among several matrices.
std::optional<Outcome> first_fault(std::initializer_list<const DeviceMatrix*> matrices);

// Whether an element of an output still has the value that the harness put there.
bool is_never_written(float value);

}  // namespace warpgrade::harness
