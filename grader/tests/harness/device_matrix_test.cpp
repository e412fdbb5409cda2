#include "device_matrix.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "errors.hpp"
#include "sample_data.hpp"
#include "temporary_folder.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"

using namespace warpgrade::harness;

TEST_CASE("an input arrives on the device and comes back") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceMatrix A("A", data.A);
  CHECK(A.data()[7] == data.A.values[7]);
  CHECK(A.copy_back().values == data.A.values);
  CHECK_FALSE(A.fault().has_value());
}

TEST_CASE("an output starts as never written, which is a NaN") {
  const DeviceMatrix C("C", 3, 4);
  for (const float value : C.copy_back().values) {
    CHECK(is_never_written(value));
    CHECK(std::isnan(value));
  }
  CHECK_FALSE(is_never_written(std::nanf("")));
  C.data()[11] = 1;
  CHECK_FALSE(C.fault().has_value());
}

TEST_CASE("a read just outside an input finds NaN on both sides") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceMatrix A("A", data.A);
  CHECK(std::isnan(A.data()[-1]));
  CHECK(std::isnan(A.data()[15]));
  CHECK(std::isnan(A.data()[15 + 4095]));
}

TEST_CASE("a write outside a matrix is found, with its distance") {
  DeviceMatrix C("C", 3, 4);
  const auto said = [&] {
    const auto fault = C.fault();
    REQUIRE(fault.has_value());
    CHECK(fault->status == Status::stray_write);
    return fault->message;
  };
  SUBCASE("right behind it") {
    C.data()[12] = 1;
    CHECK(contains(said(), "0 bytes after the end of C"));
  }
  SUBCASE("further on") {
    C.data()[14] = 1;
    CHECK(contains(said(), "8 bytes after the end of C"));
  }
  SUBCASE("right before it") {
    C.data()[-1] = 1;
    CHECK(contains(said(), "4 bytes before the start of C"));
  }
  SUBCASE("at the far end of the guard band, of one byte only") {
    reinterpret_cast<char*>(C.data())[-4096 * 4] = 1;
    CHECK(contains(said(), "16384 bytes before the start of C"));
  }
}

TEST_CASE("a write to an input is found, with the element") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceMatrix A("A", data.A);
  A.data()[7] += 1;
  const auto fault = A.fault();
  REQUIRE(fault.has_value());
  CHECK(fault->status == Status::input_changed);
  CHECK(contains(fault->message, "element A[1][2] was"));
}

TEST_CASE("the first fault of several matrices is reported") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceMatrix A("A", data.A);
  const DeviceMatrix B("B", data.B);
  CHECK_FALSE(first_fault({&A, &B}).has_value());
  B.data()[0] += 1;
  CHECK(contains(first_fault({&A, &B})->message, "B[0][0]"));
}

TEST_CASE("refilling and clearing start a new round, guard bands and all") {
  const Dataset data = sample_data(3, 4, 5);
  const Dataset other = sample_data(3, 4, 5, Values::integers, 6);
  DeviceMatrix A("A", data.A);
  DeviceMatrix C("C", 3, 4);
  A.refill(other.A);
  CHECK(A.copy_back().values == other.A.values);
  CHECK_FALSE(A.fault().has_value());
  C.data()[0] = 1;
  C.data()[12] = 1;
  C.clear();
  CHECK(is_never_written(C.data()[0]));
  CHECK_FALSE(C.fault().has_value());
}

TEST_CASE("a matrix may start off a multiple of 16 bytes, between the same guards") {
  const Dataset data = sample_data(3, 4, 5);
  const DeviceMatrix A("A", data.A, 1);
  const DeviceMatrix C("C", 3, 4, 1);
  CHECK(A.copy_back().values == data.A.values);
  CHECK(std::isnan(A.data()[-1]));
  CHECK_FALSE(first_fault({&A, &C}).has_value());
  SUBCASE("an input") {
    A.data()[7] += 1;
    CHECK(contains(A.fault()->message, "element A[1][2] was"));
  }
  SUBCASE("right before it") {
    C.data()[-1] = 1;
    CHECK(contains(C.fault()->message, "4 bytes before the start of C"));
  }
  SUBCASE("right behind it") {
    C.data()[12] = 1;
    CHECK(contains(C.fault()->message, "0 bytes after the end of C"));
  }
}

TEST_CASE("an output may start with numbers, and changing them is no fault") {
  const Dataset data = sample_data(3, 4, 5);
  const Dataset other = sample_data(3, 4, 4);
  DeviceMatrix C("C", 3, 4);
  C.preset(other.A);
  CHECK(C.copy_back().values == other.A.values);
  C.data()[0] += 1;
  CHECK_FALSE(C.fault().has_value());
}

TEST_CASE("memory is given back, and a failure names call and matrix") {
  const int before = fake_cudart::allocations();
  { const DeviceMatrix C("C", 3, 4); }
  CHECK(fake_cudart::allocations() == before);
  fake_cudart::stick(700);
  CHECK(contains(message_of<CudaError>([] { DeviceMatrix("C", 3, 4); }),
                 "cudaErrorIllegalAddress while allocating C"));
  fake_cudart::reset();
}
