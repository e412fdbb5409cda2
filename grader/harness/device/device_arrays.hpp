// All arrays of a case on the device.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cases/dataset.hpp"
#include "device/device_array.hpp"

namespace warpgrade::harness {

// The outputs and inout arrays, copied back after the launches.
using HostArrays = std::vector<Array>;

class DeviceArrays {
 public:
  // An array that starts `elements` after a multiple of 256 bytes.
  struct Shift {
    std::string array;
    std::size_t elements = 0;
  };

  // Copies the inputs of `data`, which must outlive this object, to the device.
  explicit DeviceArrays(const Dataset& data, const std::vector<Shift>& shifts = {},
                        Upload upload = Upload::now);
  // Shares the inputs of `other` and allocates its own outputs. prepare() of `other` prepares both; then
  // upload() each of them.
  explicit DeviceArrays(const DeviceArrays& other);

  // The address of an array, for a launch. Throws a DataError if there is no such array of that type, or if a
  // kernel would write to an input.
  template <class T>
  const T* read(const std::string& name) const {
    return static_cast<const T*>(address(name, type_of<T>(), false));
  }
  template <class T>
  T* write(const std::string& name) const {
    return static_cast<T*>(address(name, type_of<T>(), true));
  }

  // Makes the values before the launch on the host, from a data set with the same arrays, which must outlive
  // this object. The addresses stay.
  void prepare(const Dataset& data) const;
  // Copies the prepared values to the device.
  void upload() const;
  void upload_outputs() const;
  void refill(const Dataset& data) const;  // prepares and uploads
  // Initial values of an output, for a kernel that adds to them.
  void preset(const Array& values) const;

  // The arrays after a launch, copied to the host. The next download() replaces them.
  class Downloaded {
   public:
    // A write to a guard band or an input, if there was one. The second form looks only at arrays that
    // kernels may write.
    std::optional<Outcome> first_fault() const { return fault(false); }
    std::optional<Outcome> first_fault_of_outputs() const { return fault(true); }
    HostArrays results() const;

   private:
    friend class DeviceArrays;
    explicit Downloaded(std::vector<std::shared_ptr<DeviceArray>> arrays) : arrays_(std::move(arrays)) {}
    std::optional<Outcome> fault(bool outputs_only) const;

    std::vector<std::shared_ptr<DeviceArray>> arrays_;
  };
  Downloaded download() const;
  std::optional<Outcome> first_fault() const { return download().first_fault(); }
  HostArrays copy_back() const;  // the results alone

 private:
  void* address(const std::string& name, ElementType type, bool writes) const;
  DeviceArray& find(const std::string& name) const;

  std::vector<std::shared_ptr<DeviceArray>> arrays_;
};

// The array `name` of the results. Throws a DataError if there is none.
const Array& result_of(const HostArrays& results, const std::string& name);

}  // namespace warpgrade::harness
