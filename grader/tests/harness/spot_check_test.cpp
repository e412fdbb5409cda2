#include "spot_check.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "sample_data.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

namespace {

struct Fixture {
  Fixture() {
    const Matrix<float> result = right_result(data);
    std::copy(result.values.begin(), result.values.end(), C.data());
  }
  Outcome check() const { return spot_check(data.A, data.B, C, 1); }

  Dataset data = sample_data(100, 60, 40, Values::zero_mean);
  DeviceMatrix C{"C", 100, 60};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a right result passes") { CHECK(check().status == Status::pass); }

TEST_CASE_FIXTURE(Fixture, "a wrong element in the first or last row is found") {
  C.data()[99 * 60 + 3] += 0.1f;
  CHECK(check().status == Status::wrong_answer);
  CHECK(contains(check().message, "C[99][3] of a timed run is"));
}

TEST_CASE_FIXTURE(Fixture, "a wrong column is found") {
  for (int row = 0; row < 100; ++row) C.data()[row * 60 + 59] = 0;
  CHECK(contains(check().message, "C[0][59]"));
}

TEST_CASE_FIXTURE(Fixture, "a wrong element in any row of a small matrix is found") {
  for (int row = 0; row < 100; ++row) {
    const float before = C.data()[row * 60 + row % 60];
    C.data()[row * 60 + row % 60] += 0.001f;
    CHECK(check().status == Status::wrong_answer);
    C.data()[row * 60 + row % 60] = before;
  }
}

TEST_CASE_FIXTURE(Fixture, "the sums of rows show what was not computed") {
  CHECK(sum_check(data.A, data.B, C, 1).status == Status::pass);
  for (int row = 0; row < 100; ++row) {
    for (const float instead : {0.0f, NAN, INFINITY}) {
      const float before = C.data()[row * 60 + 7];
      C.data()[row * 60 + 7] = instead;
      CHECK(contains(sum_check(data.A, data.B, C, 1).message, "Row " + std::to_string(row) + " "));
      C.data()[row * 60 + 7] = before;
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "an element that was never written is found in any row") {
  const DeviceMatrix fresh("C", 100, 60);
  for (int row = 0; row < 100; ++row) {
    const float before = C.data()[row * 60];
    C.data()[row * 60] = fresh.data()[0];
    CHECK(contains(check().message, "C[" + std::to_string(row) + "][0] of a timed run was never written"));
    C.data()[row * 60] = before;
  }
}

TEST_CASE_FIXTURE(Fixture, "a write outside is found") {
  C.data()[100 * 60] = 0;
  CHECK(check().status == Status::stray_write);
}
