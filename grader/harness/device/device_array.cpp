#include "device/device_array.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "arrays/random_values.hpp"
#include "base/cuda_check.hpp"
#include "base/emulator.hpp"
#include "device/kept_addresses.hpp"

namespace warpgrade::harness {
namespace {

// More than a row of the largest matrix, so that an access one row too far hits the guard band. A multiple of
// the alignment of cudaMalloc.
constexpr std::size_t guard_bytes = 16384;

// Eight bytes that are repeated. Quiet NaNs have payloads that no arithmetic yields: a GPU's NaN is
// 0x7fffffff.
struct Patterns {
  std::uint64_t never_written;  // for floating-point types only
  std::uint64_t input_guard;
};
constexpr std::uint64_t output_guard = 0xa5a5a5a5a5a5a5a5;

Patterns patterns_of(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return {0x7fc5eed57fc5eed5, 0x7fc9a4d57fc9a4d5};
    case ElementType::f64:
      return {0x7ff8c5eed57c5eed, 0x7ff8c9a4d57c9a4d};
    case ElementType::half:
      return {0x7ed57ed57ed57ed5, 0x7ea97ea97ea97ea9};
    case ElementType::bfloat16:
      return {0x7fd57fd57fd57fd5, 0x7fc97fc97fc97fc9};
    default:
      return {0, 0x5bd1e99547c3a6f1};
  }
}

void fill_pattern(std::span<std::byte> bytes, std::uint64_t pattern) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof pattern)
    std::memcpy(&bytes[i], &pattern, std::min(sizeof pattern, bytes.size() - i));
}

std::string printed(ElementType type, const std::byte* element) {
  const RawNumber number = load_element(type, element);
  if (is_floating(type)) return std::to_string(number.value);
  if (type == ElementType::u64) return std::to_string(static_cast<std::uint64_t>(number.integer));
  return std::to_string(number.integer);
}

Outcome stray_write(const char* all, std::size_t bytes, const char* where, const std::string& name) {
  return Outcome::failure(Status::stray_write, std::string("The kernel wrote outside its ") + all + ": " +
                                                   std::to_string(bytes) + " bytes " + where + " " + name +
                                                   ".");
}

}  // namespace

void mark_never_written(const Dataset& data, const std::string& name, std::span<std::byte> marks) {
  const Array& array = data.array(name);
  if (is_floating(array.type)) return fill_pattern(marks, patterns_of(array.type).never_written);
  const std::size_t size = size_of(array.type);
  const std::uint64_t stream = stream_of(~data.task.seed, name);
  const std::byte zero[8] = {};
  static const std::vector<std::byte> none;
  const std::vector<std::byte>& expected =
      array.role == Role::scratch ? none : data.expected(name).values.bytes;
  for (std::size_t i = 0; i < array.count(); ++i) {
    const std::uint64_t bits = random_bits(stream, i);
    std::byte* mark = &marks[i * size];
    std::memcpy(mark, &bits, size);
    const std::byte* right = expected.empty() ? zero : &expected[i * size];
    if (std::memcmp(mark, right, size) == 0) mark[0] ^= std::byte{0x5a};
  }
}

std::vector<std::byte> never_written_marks(const Dataset& data, const std::string& name) {
  const Array& array = data.array(name);
  std::vector<std::byte> marks(array.count() * size_of(array.type), data.unwritten.value_or(std::byte{}));
  if (data.unwritten) return marks;
  mark_never_written(data, name, marks);
  return marks;
}

bool is_never_written(float value) {
  const std::uint64_t mark = patterns_of(ElementType::f32).never_written;
  return std::bit_cast<std::uint32_t>(value) == static_cast<std::uint32_t>(mark);
}

DeviceArray::DeviceArray(const Dataset& data, const std::string& name, std::size_t shift, Upload when)
    : name_(name),
      type_(data.array(name).type),
      shape_(data.array(name).shape),
      role_(data.array(name).role),
      shift_(shift),
      dataset_(&data) {
  allocate();
  prepare(data);
  if (when == Upload::now) upload();
}

DeviceArray::DeviceArray(const DeviceArray& other)
    : name_(other.name_),
      type_(other.type_),
      shape_(other.shape_),
      role_(other.role_),
      shift_(other.shift_),
      dataset_(other.dataset_),
      before_(other.before_) {
  allocate();
}

DeviceArray::~DeviceArray() { KeptAddresses::leave(name_, allocated_bytes(), memory_); }

std::size_t DeviceArray::bytes() const { return element_count(shape_) * size_of(type_); }
std::size_t DeviceArray::bytes_before() const { return guard_bytes + shift_ * size_of(type_); }
std::size_t DeviceArray::allocated_bytes() const { return bytes_before() + bytes() + guard_bytes; }

void* DeviceArray::data() const { return memory_ + bytes_before(); }

void DeviceArray::allocate() {
  memory_ = KeptAddresses::take(name_, allocated_bytes());
  emulator::name_buffer(data(), bytes(), name_.c_str());
}

// Where the values go between the guard bands of the image before the launch.
std::span<std::byte> DeviceArray::make_image() const {
  const std::uint64_t guard = role_ == Role::input ? patterns_of(type_).input_guard : output_guard;
  const std::span<std::byte> image = before_->resize(allocated_bytes());
  fill_pattern(image.first(bytes_before()), guard);
  fill_pattern(image.last(guard_bytes), guard);
  return image.subspan(bytes_before(), bytes());
}

void DeviceArray::prepare(const Dataset& data) {
  dataset_ = &data;
  const std::span<std::byte> values = make_image();
  after_.resize(allocated_bytes());  // page-locking takes time that a turn on the GPU has not
  if (has_marks())
    mark_never_written(data, name_, values);
  else
    std::memcpy(values.data(), data.array(name_).bytes.data(), values.size());
}

bool DeviceArray::has_marks() const { return role_ == Role::output || role_ == Role::scratch; }

void DeviceArray::upload() const {
  copy_to_device();
  if (has_marks()) emulator::unwritten(data(), bytes());
}

void DeviceArray::copy_to_device() const {
  const std::span<const std::byte> image = std::as_const(*before_).bytes();
  check(cudaMemcpy(memory_, image.data(), image.size(), cudaMemcpyHostToDevice),
        "copying " + name_ + " to the device");
}

void DeviceArray::preset(const Array& host) {
  host.require(type_);
  const std::span<std::byte> values = make_image();
  std::memcpy(values.data(), host.bytes.data(), values.size());
  copy_to_device();
}

void DeviceArray::download() {
  const std::span<std::byte> image = after_.resize(allocated_bytes());
  check(cudaMemcpy(image.data(), memory_, image.size(), cudaMemcpyDeviceToHost),
        "copying " + name_ + " from the device");
}

Array DeviceArray::downloaded() const {
  Array host = make_array(name_, type_, shape_, role_);
  std::memcpy(host.bytes.data(), &after_.bytes()[bytes_before()], host.bytes.size());
  return host;
}

std::optional<Outcome> DeviceArray::fault(const char* all) const {
  if (auto fault = guard_fault(all)) return fault;
  if (role_ != Role::input) return {};

  const std::vector<std::byte>& before = dataset_->array(name_).bytes;
  const std::byte* values = &after_.bytes()[bytes_before()];
  if (std::memcmp(before.data(), values, before.size()) == 0) return {};
  const auto [old_byte, new_byte] = std::mismatch(before.begin(), before.end(), values);
  const std::size_t index = static_cast<std::size_t>(old_byte - before.begin()) / size_of(type_);
  const std::size_t offset = index * size_of(type_);
  return Outcome::failure(Status::input_changed, "The kernel wrote to its input: element " + name_ +
                                                     subscript(shape_, index) + " was " +
                                                     printed(type_, &before[offset]) + " and is now " +
                                                     printed(type_, values + offset) + ".");
}

// The out-of-bounds write nearest to the array, in whole elements.
std::optional<Outcome> DeviceArray::guard_fault(const char* all) const {
  const std::size_t size = size_of(type_);
  const std::span<const std::byte> now = after_.bytes();
  const std::span<const std::byte> expected = std::as_const(*before_).bytes();
  const std::size_t end = bytes_before() + bytes();
  for (std::size_t i = end; i < now.size(); ++i)
    if (now[i] != expected[i]) return stray_write(all, (i - end) / size * size, "after the end of", name_);
  for (std::size_t i = bytes_before(); i-- > 0;)
    if (now[i] != expected[i])
      return stray_write(all, ((bytes_before() - i - 1) / size + 1) * size, "before the start of", name_);
  return {};
}

}  // namespace warpgrade::harness
