// An array on the device between two guard bands.
//
// The guard bands hold known values, so an out-of-bounds write changes them. The bands of a floating-point
// input are NaN, so that an out-of-bounds read also spoils the result. An output starts with marks that
// distinguish unwritten elements from wrong ones: for floating-point types a NaN that no kernel computes, for
// integer types a pseudorandom value for each element that differs from the expected one. So an element that
// was never written is never right, and a wrong integer equals its mark only with a probability of 2^-bits.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "cases/dataset.hpp"
#include "device/host_image.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// When the values before the launch are copied to the device: by the constructor, or by upload().
enum class Upload { now, later };

class DeviceArray {
 public:
  // Allocates and fills the array `name` of `data`, which must outlive this object. It starts `shift`
  // elements after a multiple of 256 bytes, the alignment of cudaMalloc.
  DeviceArray(const Dataset& data, const std::string& name, std::size_t shift = 0,
              Upload upload = Upload::now);
  // A second array with the same values before the launch, in memory of its own: prepare() of either prepares
  // both, and each is uploaded.
  DeviceArray(const DeviceArray& other);
  ~DeviceArray();
  DeviceArray& operator=(const DeviceArray&) = delete;

  const std::string& name() const { return name_; }
  Role role() const { return role_; }
  ElementType type() const { return type_; }
  std::size_t rank() const { return shape_.size(); }
  void* data() const;

  // Makes the values before the launch on the host, from a data set with the same shape, which must outlive
  // this object: an input's values, or marks. upload() copies them to the device, as often as they are
  // wanted.
  void prepare(const Dataset& data);
  void upload() const;
  // Initial values of an output, for a kernel that adds to them.
  void preset(const Array& host);

  // Copies all to the host, for downloaded() and fault().
  void download();
  Array downloaded() const;
  // A write of the kernel to a guard band or to an input, if there was one. `all` completes the phrase "The
  // kernel wrote outside its …".
  std::optional<Outcome> fault(const char* all) const;

 private:
  std::size_t bytes() const;
  std::size_t bytes_before() const;
  std::size_t allocated_bytes() const;  // with both guard bands
  bool has_marks() const;  // what it holds before the launch are marks, which count as never written
  void copy_to_device() const;
  void allocate();
  std::span<std::byte> make_image() const;
  void write_guards(std::span<std::byte> image) const;
  std::optional<Outcome> guard_fault(const char* all) const;

  std::string name_;
  ElementType type_;
  Shape shape_;
  Role role_;
  std::size_t shift_;
  const Dataset* dataset_;
  std::shared_ptr<HostImage> before_ = std::make_shared<HostImage>();  // guard, values, guard
  HostImage after_;                                                    // the same after the launch
  std::byte* memory_ = nullptr;
};

// The marks of an output that no kernel has written.
void mark_never_written(const Dataset& data, const std::string& name, std::span<std::byte> marks);
std::vector<std::byte> never_written_marks(const Dataset& data, const std::string& name);
// Whether an element of a float output still has the mark.
bool is_never_written(float value);

}  // namespace warpgrade::harness
