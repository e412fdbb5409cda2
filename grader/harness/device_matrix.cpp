#include "device_matrix.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "cuda_check.hpp"
#include "emulator.hpp"

namespace warpgrade::harness {
namespace {

// More than a row of the largest case, so that an access one row too far hits the guard band.
constexpr std::size_t guard_words = 4096;

// Quiet NaNs with payloads that no arithmetic yields: a GPU's NaN is 0x7fffffff.
constexpr std::uint32_t never_written = 0x7fc5eed5;
constexpr std::uint32_t input_guard = 0x7fc9a4d5;
constexpr std::uint32_t output_guard = 0xa5a5a5a5;

std::string distance(std::size_t bytes, const char* where, const std::string& name) {
  return std::to_string(bytes) + " bytes " + where + " " + name;
}

}  // namespace

DeviceMatrix::DeviceMatrix(const char* name, const Matrix<float>& host, std::size_t shift)
    : name_(name), rows_(host.rows), columns_(host.columns), input_(&host), shift_(shift) {
  allocate();
  fill(words_with(host.values.data()));
}

DeviceMatrix::DeviceMatrix(const char* name, int rows, int columns, std::size_t shift)
    : name_(name), rows_(rows), columns_(columns), input_(nullptr), shift_(shift) {
  allocate();
  clear();
}

// An error here was reported by the call that caused it.
DeviceMatrix::~DeviceMatrix() { cudaFree(memory_); }

std::size_t DeviceMatrix::words_before() const { return guard_words + shift_; }

float* DeviceMatrix::data() const { return reinterpret_cast<float*>(memory_) + words_before(); }

void DeviceMatrix::allocate() {
  const std::size_t bytes =
      sizeof(float) * static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes + (words_before() + guard_words) * sizeof(float)), "allocating " + name_);
  memory_ = static_cast<unsigned char*>(memory);
  emulator::name_buffer(data(), bytes, name_.c_str());
}

// The whole allocation: guard, values, guard; never_written stands for absent values.
std::vector<std::uint32_t> DeviceMatrix::words_with(const float* values) const {
  const std::size_t count = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
  std::vector<std::uint32_t> words(words_before() + count + guard_words, input_ ? input_guard : output_guard);
  if (values)
    std::memcpy(&words[words_before()], values, count * sizeof(float));
  else
    std::fill_n(&words[words_before()], count, never_written);
  return words;
}

void DeviceMatrix::fill(const std::vector<std::uint32_t>& words) {
  check(cudaMemcpy(memory_, words.data(), words.size() * sizeof words[0], cudaMemcpyHostToDevice),
        "copying " + name_ + " to the device");
}

void DeviceMatrix::refill(const Matrix<float>& host) {
  input_ = &host;
  fill(words_with(host.values.data()));
}

void DeviceMatrix::clear() { fill(words_with(nullptr)); }

void DeviceMatrix::preset(const Matrix<float>& host) { fill(words_with(host.values.data())); }

Matrix<float> DeviceMatrix::copy_back() const {
  Matrix<float> host(rows_, columns_);
  check(cudaMemcpy(host.values.data(), data(), host.bytes(), cudaMemcpyDeviceToHost),
        "copying " + name_ + " from the device");
  return host;
}

std::optional<Outcome> DeviceMatrix::fault() const {
  const std::vector<std::uint32_t> before = words_with(input_ ? input_->values.data() : nullptr);
  std::vector<std::uint32_t> now(before.size());
  check(cudaMemcpy(now.data(), memory_, now.size() * sizeof now[0], cudaMemcpyDeviceToHost),
        "copying " + name_ + " from the device");
  if (auto fault = guard_fault(now)) return fault;
  if (!input_) return {};

  const auto [old_word, new_word] = std::mismatch(before.begin(), before.end(), now.begin());
  if (new_word == now.end()) return {};
  const auto index = static_cast<std::size_t>(new_word - now.begin()) - words_before();
  const auto width = static_cast<std::size_t>(columns_);
  return Outcome::failure(Status::input_changed,
                          "The kernel wrote to its input: element " + name_ + "[" +
                              std::to_string(index / width) + "][" + std::to_string(index % width) +
                              "] was " + std::to_string(std::bit_cast<float>(*old_word)) + " and is now " +
                              std::to_string(std::bit_cast<float>(*new_word)) + ".");
}

// The out-of-bounds write nearest to the matrix.
std::optional<Outcome> DeviceMatrix::guard_fault(const std::vector<std::uint32_t>& now) const {
  const std::uint32_t guard = input_ ? input_guard : output_guard;
  const auto is_stray = [guard](std::uint32_t word) { return word != guard; };
  const auto end = now.end() - guard_words;
  if (const auto after = std::find_if(end, now.end(), is_stray); after != now.end()) {
    const auto words = static_cast<std::size_t>(after - end);
    return Outcome::failure(Status::stray_write,
                            "The kernel wrote outside its matrices: " +
                                distance(words * sizeof(float), "after the end of", name_) + ".");
  }
  const auto start = now.rend() - static_cast<std::ptrdiff_t>(words_before());
  const auto last = std::find_if(start, now.rend(), is_stray);
  if (last == now.rend()) return {};
  const auto words = static_cast<std::size_t>(last - start) + 1;
  return Outcome::failure(Status::stray_write,
                          "The kernel wrote outside its matrices: " +
                              distance(words * sizeof(float), "before the start of", name_) + ".");
}

std::optional<Outcome> first_fault(std::initializer_list<const DeviceMatrix*> matrices) {
  for (const DeviceMatrix* matrix : matrices)
    if (auto fault = matrix->fault()) return fault;
  return {};
}

bool is_never_written(float value) { return std::bit_cast<std::uint32_t>(value) == never_written; }

}  // namespace warpgrade::harness
