#include "matrix_rounds.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

namespace {

struct Fixture {
  Fixture() {
    const Array result = right_result(data);
    std::copy_n(result.data<float>(), result.count(), C);
  }
  Outcome check(bool closely = true) {
    Dataset drawn(data.task);
    return product_rounds(drawn)->verify(data, on_device.download(), 1, closely);
  }

  Dataset data = sample_data(100, 60, 40, "zero-mean");
  DeviceArrays on_device{data};
  float* C = on_device.write<float>("C");
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a right result passes") { CHECK(check().status == Status::pass); }

TEST_CASE_FIXTURE(Fixture, "a wrong element in the first or last row is found") {
  C[99 * 60 + 3] += 0.1f;
  CHECK(check().status == Status::wrong_answer);
  CHECK(contains(check().message, "C[99][3] of a timed run is"));
}

TEST_CASE_FIXTURE(Fixture, "a wrong column is found") {
  for (int row = 0; row < 100; ++row) C[row * 60 + 59] = 0;
  CHECK(contains(check().message, "C[0][59]"));
}

TEST_CASE_FIXTURE(Fixture, "a wrong element in any row of a small matrix is found") {
  for (int row = 0; row < 100; ++row) {
    const float before = C[row * 60 + row % 60];
    C[row * 60 + row % 60] += 0.001f;
    CHECK(check().status == Status::wrong_answer);
    C[row * 60 + row % 60] = before;
  }
}

TEST_CASE_FIXTURE(Fixture, "the sums of rows show what was not computed") {
  CHECK(check(false).status == Status::pass);
  for (int row = 0; row < 100; ++row) {
    for (const float instead : {0.0f, NAN, INFINITY}) {
      const float before = C[row * 60 + 7];
      C[row * 60 + 7] = instead;
      CHECK(contains(check(false).message, "Row " + std::to_string(row) + " "));
      C[row * 60 + 7] = before;
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "an element that was never written is found in any row") {
  const DeviceArrays other(data);
  const float* fresh = other.write<float>("C");
  for (int row = 0; row < 100; ++row) {
    const float before = C[row * 60];
    C[row * 60] = fresh[0];
    CHECK(contains(check().message, "C[" + std::to_string(row) + "][0] of a timed run was never written"));
    C[row * 60] = before;
  }
}

TEST_CASE_FIXTURE(Fixture, "a write outside is found") {
  C[100 * 60] = 0;
  CHECK(check().status == Status::stray_write);
}
