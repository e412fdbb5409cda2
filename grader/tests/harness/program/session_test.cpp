#include "program/session.hpp"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.hpp"
#include "cases/dataset_files.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

// A lab's own host code, without the program around it (lab.cpp).
namespace warpgrade::harness {
int run_lab(const LabProgram&, int, char**) { return 0; }
}  // namespace warpgrade::harness
#define main main_of_lab_02
#include "../../../labs/02-tiled/harness.cpp"
#undef main

namespace {

using fake_cudart::Launch;
using nlohmann::json;

// A data set with a small and a larger case, and a run of a kernel on it.
struct Fixture {
  Fixture() {
    fake_cudart::reset();
    std::ofstream(folder / "wanted.json") << R"({"lab": "02-tiled", "cases": [
      {"name": "small", "parameters": {"m": 4, "n": 5, "k": 3}, "values": "integers", "seed": "5"},
      {"name": "large", "parameters": {"m": 33, "n": 40, "k": 20}, "values": "zero-mean", "seed": "5"}]})";
    make_datasets(folder / "wanted.json", folder / "data", make_product);
  }
  ~Fixture() { fake_cudart::reset(); }

  Options options(const std::string& kernel) const {
    Options options;
    options.kernel = fake_cudart::write_kernel(folder / "kernel", kernel);
    options.data = folder / "data";
    options.results = folder / "results";
    options.kernels = {"matmul_tiled"};
    return options;
  }

  // Runs both cases, unless the first gets stuck. Returns the exit code.
  int run(const std::string& kernel) {
    Session session(options(kernel), lab);
    for (const Case& task : session.cases())
      if (!session.stuck()) session.check(task);
    return session.finish();
  }

  std::vector<json> records(const std::string& kind) const {
    std::vector<json> found;
    std::ifstream in(folder / "results");
    for (std::string line; std::getline(in, line);)
      if (const json record = json::parse(line); record["record"] == kind) found.push_back(record);
    return found;
  }

  TemporaryFolder folder;
  LabProgram lab = {.make = make_product, .launch = launch, .run = multiply, .rounds = product_rounds};
};

void right(const Launch& launch) {
  for (int row = 0; row < launch.m; ++row)
    for (int column = 0; column < launch.n; ++column) {
      float sum = 0;
      for (int i = 0; i < launch.k; ++i)
        sum += launch.A[row * launch.k + i] * launch.B[i * launch.n + column];
      launch.C[row * launch.n + column] = sum;
    }
}

int run_with(Fixture& fixture, const fake_cudart::Behaviour& behaviour) {
  fake_cudart::teach("taught", behaviour);
  return fixture.run(fake_cudart::tiled_kernel("taught"));
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a right kernel passes all cases, and the run is complete") {
  CHECK(run(fake_cudart::tiled_kernel("right")) == 0);
  CHECK(records("environment").size() == 1);
  CHECK(records("launch_shape").at(0)["threads"] == json{16, 16});
  CHECK(records("begin").size() == 2);
  REQUIRE(records("case").size() == 2);
  CHECK(records("case")[0]["case"] == "small");
  CHECK(records("case")[1]["status"] == "pass");
  CHECK(records("end").size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a lab that has no run of its own is run in the usual way") {
  lab.run = nullptr;
  CHECK(run(fake_cudart::tiled_kernel("right")) == 0);
  CHECK(records("case").size() == 2);
  CHECK(run_with(*this, [](const Launch&) {}) == 1);
  CHECK(records("case").at(0)["wrong"]["pattern"] == "never-written");
}

TEST_CASE_FIXTURE(Fixture, "a kernel that does nothing never wrote its result") {
  CHECK(run_with(*this, [](const Launch&) {}) == 1);
  const json record = records("case").at(1);
  CHECK(record["status"] == "wrong_answer");
  CHECK(record["wrong"]["pattern"] == "never-written");
  CHECK(record["wrong"]["got"] == "never written");
  CHECK(record["wrong"]["count"] == 33 * 40);
  CHECK(records("end").size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a NaN is wrong") {
  CHECK(run_with(*this, [](const Launch& launch) {
          right(launch);
          launch.C[3] = std::nanf("");
        }) == 1);
  CHECK(records("case").at(0)["wrong"]["got"] == "NaN");
}

TEST_CASE_FIXTURE(Fixture, "a right result does not excuse a write outside C or to an input") {
  SUBCASE("outside") {
    CHECK(run_with(*this, [](const Launch& launch) {
            right(launch);
            launch.C[launch.m * launch.n] = 0;
          }) == 1);
    CHECK(records("case").at(0)["status"] == "stray_write");
  }
  SUBCASE("input") {
    CHECK(run_with(*this, [](const Launch& launch) {
            right(launch);
            const_cast<float*>(launch.A)[0] += 1;
          }) == 1);
    CHECK(records("case").at(0)["status"] == "input_changed");
  }
}

TEST_CASE_FIXTURE(Fixture, "one case may fail and the next pass") {
  CHECK(run_with(*this, [](const Launch& launch) {
          if (launch.m > 4) right(launch);
        }) == 1);
  CHECK(records("case").at(0)["status"] == "wrong_answer");
  CHECK(records("case").at(1)["status"] == "pass");
}

TEST_CASE_FIXTURE(Fixture, "after an error that sticks nothing runs, and the run is not complete") {
  CHECK(run_with(*this, [](const Launch&) { fake_cudart::stick(700); }) == 1);
  REQUIRE(records("case").size() == 1);
  const json record = records("case")[0];
  CHECK(record["status"] == "cuda_error");
  CHECK(record["cuda_error"] == "cudaErrorIllegalAddress");
  CHECK(record["sticky"] == true);
  CHECK(contains(record["message"], "while running the kernel"));
  CHECK(records("end").empty());
}

TEST_CASE_FIXTURE(Fixture, "each case records why a kernel cannot run, and the run is complete") {
  const auto status_of = [&](const std::string& kernel) {
    CHECK(run(kernel) == 1);
    REQUIRE(records("case").size() == 2);
    CHECK(records("end").size() == 1);
    CHECK(records("case")[0]["status"] == records("case")[1]["status"]);
    return records("case")[0]["status"].get<std::string>();
  };
  CHECK(status_of("kernel other shape 16 16 16 16 does right") == "kernel_missing");
  CHECK(status_of("kernel matmul_tiled does right") == "launch_shape");
  CHECK(status_of("kernel matmul_tiled shape 0 16 16 16 does right") == "launch_shape");
  CHECK(status_of("rubbish") == "cuda_error");
}

TEST_CASE_FIXTURE(Fixture, "a launch that is refused fails its case only") {
  fake_cudart::refuse_next_launch(701);
  CHECK(run(fake_cudart::tiled_kernel("right")) == 1);
  CHECK(records("case").at(0)["status"] == "launch_shape");
  CHECK(records("case").at(0)["sticky"] == false);
  CHECK(records("case").at(1)["status"] == "pass");
}

TEST_CASE_FIXTURE(Fixture,
                  "missing data, a missing kernel and a choice of no case are not the kernel's fault") {
  const Options good = options(fake_cudart::tiled_kernel("right"));
  std::filesystem::remove(folder / "data/large/B.npy");
  Session session(good, lab);
  CHECK(contains(message_of<UsageError>([&] { session.finish(); }), "no case was run"));
  CHECK(contains(message_of<DataError>([&] { session.check(session.cases().at(1)); }),
                 "B.npy: the file is missing"));

  Options lost = good;
  lost.kernel = folder / "none";
  CHECK(contains(message_of<UsageError>([&] { Session other(lost, lab); }), "cannot be read"));
  lost = good;
  lost.data = folder / "none";
  CHECK(
      contains(message_of<DataError>([&] { Session other(lost, lab); }), "cases.json: the file is missing"));
}

// --- the second launch ---

namespace {

// Remembers results by pointer and size. A library that is loaded again begins with empty memory.
struct Replay {
  std::map<std::pair<const float*, int>, std::vector<float>> kept;
  void operator()(const Launch& launch) {
    const auto size = static_cast<std::size_t>(launch.m) * static_cast<std::size_t>(launch.n);
    std::vector<float>& results = kept[{launch.A, launch.m}];
    if (results.empty()) {
      right(launch);
      results.assign(launch.C, launch.C + size);
    }
    std::copy(results.begin(), results.end(), launch.C);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a case is run twice, on other values at the same addresses") {
  std::vector<Launch> launches;
  std::vector<float> first;
  CHECK(run_with(*this, [&](const Launch& launch) {
          right(launch);
          launches.push_back(launch);
          first.push_back(launch.A[0]);
        }) == 0);
  REQUIRE(launches.size() == 4);
  for (const std::size_t one : {0u, 2u}) {
    CHECK(launches[one].A == launches[one + 1].A);
    CHECK(launches[one].B == launches[one + 1].B);
    CHECK(launches[one].C == launches[one + 1].C);
  }
  CHECK(first[2] != first[3]);
  CHECK(fake_cudart::allocations() == 0);
}

TEST_CASE_FIXTURE(Fixture, "a kernel that gives out old results is wrong at the second launch") {
  CHECK(run_with(*this, Replay{}) == 1);
  const json record = records("case").at(1);
  CHECK(record["status"] == "wrong_answer");
  CHECK(contains(record["message"], "wrong at the second: the kernel keeps something between launches"));
  CHECK(record["wrong"]["explanation"] == record["message"]);
}

TEST_CASE_FIXTURE(Fixture, "a kernel that other values defeat keeps nothing") {
  const float seen = load_dataset(folder / "data/large",
                                  Session(options(fake_cudart::tiled_kernel("right")), lab).cases().at(1))
                         .array("A")
                         .data<float>()[0];
  CHECK(run_with(*this, [seen](const Launch& launch) {
          if (launch.m == 4 || launch.A[0] == seen) right(launch);
        }) == 1);
  const json record = records("case").at(1);
  CHECK(contains(record["message"], "With other values than those of the first launch"));
}

TEST_CASE_FIXTURE(Fixture, "an error at the second launch says so and fails its case") {
  int launches = 0;
  CHECK(run_with(*this, [&](const Launch& launch) {
          right(launch);
          if (++launches == 2) fake_cudart::stick(700);
        }) == 1);
  REQUIRE(records("case").size() == 1);
  CHECK(records("case")[0]["status"] == "cuda_error");
  CHECK(records("case")[0]["sticky"] == true);
  CHECK(contains(records("case")[0]["message"], "wrong at the second"));
}
