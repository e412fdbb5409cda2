#include "device/device_arrays.hpp"

#include <algorithm>
#include <iterator>

namespace warpgrade::harness {
namespace {

bool is_result(const std::shared_ptr<DeviceArray>& array) {
  return array->role() == Role::output || array->role() == Role::inout;
}

}  // namespace

DeviceArrays::DeviceArrays(const Dataset& data, const std::vector<Shift>& shifts, Upload when) {
  for (const Array& array : data.arrays()) {
    std::size_t elements = 0;
    for (const Shift& shift : shifts)
      if (shift.array == array.name) elements = shift.elements;
    arrays_.push_back(std::make_shared<DeviceArray>(data, array.name, elements, when));
  }
}

DeviceArrays::DeviceArrays(const DeviceArrays& other) {
  for (const auto& array : other.arrays_)
    arrays_.push_back(array->role() == Role::input ? array : std::make_shared<DeviceArray>(*array));
}

void DeviceArrays::prepare(const Dataset& data) const {
  for (const auto& array : arrays_) array->prepare(data);
}

void DeviceArrays::upload() const {
  for (const auto& array : arrays_) array->upload();
}

void DeviceArrays::upload_outputs() const {
  for (const auto& array : arrays_)
    if (array->role() != Role::input) array->upload();
}

void DeviceArrays::refill(const Dataset& data) const {
  prepare(data);
  upload();
}

void DeviceArrays::preset(const Array& values) const { find(values.name).preset(values); }

DeviceArrays::Downloaded DeviceArrays::download() const {
  for (const auto& array : arrays_) array->download();
  return Downloaded(arrays_);
}

HostArrays DeviceArrays::copy_back() const {
  std::vector<std::shared_ptr<DeviceArray>> with_results;
  std::copy_if(arrays_.begin(), arrays_.end(), std::back_inserter(with_results), is_result);
  for (const auto& array : with_results) array->download();
  return Downloaded(with_results).results();
}

HostArrays DeviceArrays::Downloaded::results() const {
  HostArrays results;
  for (const auto& array : arrays_)
    if (is_result(array)) results.push_back(array->downloaded());
  return results;
}

std::optional<Outcome> DeviceArrays::Downloaded::fault(bool outputs_only) const {
  const bool all_matrices =
      std::all_of(arrays_.begin(), arrays_.end(), [](const auto& array) { return array->rank() == 2; });
  for (const auto& array : arrays_) {
    if (outputs_only && array->role() == Role::input) continue;
    if (auto fault = array->fault(all_matrices ? "matrices" : "arrays")) return fault;
  }
  return {};
}

DeviceArray& DeviceArrays::find(const std::string& name) const {
  for (const auto& array : arrays_)
    if (array->name() == name) return *array;
  throw DataError("the lab's launch names an array '" + name + "', which its make() does not declare");
}

void* DeviceArrays::address(const std::string& name, ElementType type, bool writes) const {
  const DeviceArray& array = find(name);
  if (array.type() != type)
    throw DataError("the lab's launch passes the array '" + name + "' as " + name_of(type) +
                    ", but it holds " + name_of(array.type()));
  if (writes && array.role() == Role::input)
    throw DataError("the lab's launch passes the input '" + name + "' to be written");
  return array.data();
}

const Array& result_of(const HostArrays& results, const std::string& name) {
  for (const Array& array : results)
    if (array.name == name) return array;
  throw DataError("there is no result called '" + name + "'");
}

}  // namespace warpgrade::harness
