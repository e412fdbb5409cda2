#include "device/device_arrays.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "patterns/marks.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

static float* floats(const DeviceArray& array) { return static_cast<float*>(array.data()); }
static std::optional<Outcome> fault_of(DeviceArray& array, const char* all = "matrices") {
  array.download();
  return array.fault(all);
}
static Array copy_of(DeviceArray& array) {
  array.download();
  return array.downloaded();
}
static void refill(DeviceArray& array, const Dataset& data) {
  array.prepare(data);
  array.upload();
}

TEST_CASE("an input arrives on the device and comes back") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray A(data, "A");
  CHECK(floats(A)[7] == data.array("A").data<float>()[7]);
  CHECK(copy_of(A).bytes == data.array("A").bytes);
  CHECK_FALSE(fault_of(A).has_value());
}

TEST_CASE("an output starts as never written, which is a NaN") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray C(data, "C");
  const Array back = copy_of(C);
  for (std::size_t i = 0; i < back.count(); ++i) {
    const float value = back.data<float>()[i];
    CHECK(is_never_written(value));
    CHECK(std::isnan(value));
  }
  CHECK_FALSE(is_never_written(std::nanf("")));
  floats(C)[11] = 1;
  CHECK_FALSE(fault_of(C).has_value());
}

TEST_CASE("a read just outside an input finds NaN on both sides") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray A(data, "A");
  CHECK(std::isnan(floats(A)[-1]));
  CHECK(std::isnan(floats(A)[15]));
  CHECK(std::isnan(floats(A)[15 + 4095]));
}

TEST_CASE("a write outside a matrix is found, with its distance") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray C(data, "C");
  const auto said = [&] {
    const auto fault = fault_of(C);
    REQUIRE(fault.has_value());
    CHECK(fault->status == Status::stray_write);
    return fault->message;
  };
  SUBCASE("right behind it") {
    floats(C)[12] = 1;
    CHECK(contains(said(), "0 bytes after the end of C"));
  }
  SUBCASE("further on") {
    floats(C)[14] = 1;
    CHECK(contains(said(), "8 bytes after the end of C"));
  }
  SUBCASE("right before it") {
    floats(C)[-1] = 1;
    CHECK(contains(said(), "4 bytes before the start of C"));
  }
  SUBCASE("at the far end of the guard band, of one byte only") {
    reinterpret_cast<char*>(floats(C))[-4096 * 4] = 1;
    CHECK(contains(said(), "16384 bytes before the start of C"));
  }
}

TEST_CASE("a write to an input is found, with the element") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray A(data, "A");
  floats(A)[7] += 1;
  const auto fault = fault_of(A);
  REQUIRE(fault.has_value());
  CHECK(fault->status == Status::input_changed);
  CHECK(contains(fault->message, "element A[1][2] was"));
}

TEST_CASE("refilling and clearing start a new round, guard bands and all") {
  const Dataset data = sample_data(3, 4, 5);
  const Dataset other = sample_data(3, 4, 5, "integers", 6);
  DeviceArray A(data, "A");
  DeviceArray C(data, "C");
  refill(A, other);
  CHECK(copy_of(A).bytes == other.array("A").bytes);
  CHECK_FALSE(fault_of(A).has_value());
  floats(C)[0] = 1;
  floats(C)[12] = 1;
  refill(C, data);
  CHECK(is_never_written(floats(C)[0]));
  CHECK_FALSE(fault_of(C).has_value());
}

TEST_CASE("a matrix may start off a multiple of 16 bytes, between the same guards") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray A(data, "A", 1);
  DeviceArray C(data, "C", 1);
  CHECK(copy_of(A).bytes == data.array("A").bytes);
  CHECK(std::isnan(floats(A)[-1]));
  CHECK_FALSE(fault_of(A).has_value());
  CHECK_FALSE(fault_of(C).has_value());
  SUBCASE("an input") {
    floats(A)[7] += 1;
    CHECK(contains(fault_of(A)->message, "element A[1][2] was"));
  }
  SUBCASE("right before it") {
    floats(C)[-1] = 1;
    CHECK(contains(fault_of(C)->message, "4 bytes before the start of C"));
  }
  SUBCASE("right behind it") {
    floats(C)[12] = 1;
    CHECK(contains(fault_of(C)->message, "0 bytes after the end of C"));
  }
}

TEST_CASE("an output may start with numbers, and changing them is no fault") {
  const Dataset data = sample_data(3, 4, 5);
  DeviceArray C(data, "C");
  const Array before = right_result(data);
  C.preset(before);
  CHECK(copy_of(C).bytes == before.bytes);
  floats(C)[0] += 1;
  CHECK_FALSE(fault_of(C).has_value());
}

TEST_CASE("memory is given back, and a failure names call and matrix") {
  const Dataset data = sample_data(3, 4, 5);
  const int before = fake_cudart::allocations();
  { const DeviceArray C(data, "C"); }
  CHECK(fake_cudart::allocations() == before);
  fake_cudart::stick(700);
  CHECK(contains(message_of<CudaError>([&] { DeviceArray(data, "C"); }),
                 "cudaErrorIllegalAddress while allocating C"));
  fake_cudart::reset();
}

TEST_CASE("every type has guard bands, and marks that are never right") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::uint8_t>("bytes", {301});
  data.output<std::uint32_t>("counts", {7});
  data.output<std::int64_t>("sums", {3});
  data.output<Float16>("halves", {5});
  data.output<Bfloat16>("brains", {5});
  data.output<double>("doubles", {2, 2, 2});
  for (const Array& array : data.arrays()) {
    DeviceArray on_device(data, array.name);
    CHECK_FALSE(fault_of(on_device, "arrays").has_value());
    const Marks marks = judge(data, copy_of(on_device));
    CHECK(std::count(marks.values.begin(), marks.values.end(), Mark::never_written) == marks.wrong());
    CHECK(marks.wrong() == static_cast<std::int64_t>(array.count()));
    auto* bytes = static_cast<unsigned char*>(on_device.data());
    const std::size_t size = array.count() * size_of(array.type);
    bytes[size] ^= 1;
    CHECK(contains(fault_of(on_device, "arrays")->message,
                   "outside its arrays: 0 bytes after the end of " + array.name));
    bytes[size] ^= 1;
    bytes[-1] ^= 1;
    CHECK(contains(fault_of(on_device, "arrays")->message,
                   std::to_string(size_of(array.type)) + " bytes before the start of"));
  }
}

TEST_CASE("an input of integers is watched, and an array of role inout may change") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.input<std::int16_t>("in", {4})(2) = -3;
  data.inout<std::int32_t>("both", {4});
  const DeviceArrays arrays(data);
  CHECK(arrays.read<std::int16_t>("in")[2] == -3);
  arrays.write<std::int32_t>("both")[1] = 77;
  CHECK_FALSE(arrays.first_fault().has_value());
  const_cast<std::int16_t*>(arrays.read<std::int16_t>("in"))[2] = 9;
  CHECK(contains(arrays.first_fault()->message, "element in[2] was -3 and is now 9"));
  CHECK(contains(message_of<DataError>([&] { arrays.write<std::int16_t>("in"); }), "the input 'in'"));
  CHECK(contains(message_of<DataError>([&] { arrays.read<float>("in"); }), "holds i16"));
  CHECK(contains(message_of<DataError>([&] { arrays.read<float>("out"); }), "does not declare"));
}

TEST_CASE("the first fault of several matrices is reported") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceArrays arrays(data);
  CHECK_FALSE(arrays.first_fault().has_value());
  const_cast<float*>(arrays.read<float>("B"))[0] += 1;
  CHECK(contains(arrays.first_fault()->message, "B[0][0]"));
}
