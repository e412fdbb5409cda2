// A matrix on the device between two guard bands.
//
// What stands around the numbers is known, so a stray write shows afterwards; around an input it is NaN,
// so that a stray read shows in the result, too. An output starts as a NaN that no kernel computes, so
// that an element which nobody wrote is told from a wrong one.
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
  // An input: allocates, copies `host` in. `host` must outlive this object. `name` is for messages.
  // With a `shift` it starts so many floats behind a multiple of 256 bytes, which is where cudaMalloc starts.
  DeviceMatrix(const char* name, const Matrix<float>& host, std::size_t shift = 0);
  // An output: allocates, fills with never_written.
  DeviceMatrix(const char* name, int rows, int columns, std::size_t shift = 0);
  ~DeviceMatrix();
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  float* data() const;
  Matrix<float> copy_back() const;

  // An input gets other values, an output becomes unwritten again. For timed rounds.
  void refill(const Matrix<float>& host);
  void clear();

  // An output starts with these values instead, for a kernel that adds to what is there.
  void preset(const Matrix<float>& host);

  // What the kernel did to memory that it must leave alone: a write to a guard band, or to an input.
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

// Whether an element of an output still is what the harness put there.
bool is_never_written(float value);

}  // namespace warpgrade::harness
