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
  DeviceMatrix(const char* name, const Matrix<float>& host);
  // An output: allocates, fills with never_written.
  DeviceMatrix(const char* name, int rows, int columns);
  ~DeviceMatrix();
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  float* data() const;
  Matrix<float> copy_back() const;

  // An input gets other values, an output becomes unwritten again. For timed rounds.
  void refill(const Matrix<float>& host);
  void clear();

  // What the kernel did to memory that it must leave alone: a write to a guard band, or to an input.
  std::optional<Outcome> fault() const;

 private:
  void allocate();
  void fill(const std::vector<std::uint32_t>& words);
  std::vector<std::uint32_t> words_with(const float* values) const;
  std::optional<Outcome> guard_fault(const std::vector<std::uint32_t>& now) const;

  std::string name_;
  int rows_;
  int columns_;
  const Matrix<float>* input_;  // null for an output
  unsigned char* memory_ = nullptr;
};

// The first fault among several matrices.
std::optional<Outcome> first_fault(std::initializer_list<const DeviceMatrix*> matrices);

// Whether an element of an output still is what the harness put there.
bool is_never_written(float value);

}  // namespace warpgrade::harness
