#include "program/timer.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "arrays/random_values.hpp"
#include "base/errors.hpp"
#include "device/gpu_turn.hpp"
#include "matrix_rounds.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;
using fake_cudart::Launch;
using nlohmann::json;

namespace {

void multiply(const Launch& launch) {
  for (int row = 0; row < launch.m; ++row)
    for (int column = 0; column < launch.n; ++column) {
      float sum = 0;
      for (int i = 0; i < launch.k; ++i)
        sum += launch.A[row * launch.k + i] * launch.B[i * launch.n + column];
      launch.C[row * launch.n + column] = sum;
    }
}

void start(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  kernels.only().launch(Extent{n, m}, on_device.read<float>("A"), on_device.read<float>("B"),
                        on_device.write<float>("C"), m, n, k);
}

struct Fixture {
  Fixture() {
    fake_cudart::reset();
    fake_cudart::teach("reference", [](const Launch& launch) {
      multiply(launch);
      fake_cudart::spend(1);
    });
  }
  ~Fixture() { fake_cudart::reset(); }

  // Times a student's kernel that does `behaviour`; returns the exit code.
  int time(const fake_cudart::Behaviour& behaviour) {
    fake_cudart::teach("student", behaviour);
    return run_timing(options(), lab);
  }

  Options options() const {
    Options options;
    options.kernel = fake_cudart::write_kernel(folder / "student", fake_cudart::tiled_kernel("student"));
    options.reference =
        fake_cudart::write_kernel(folder / "reference", fake_cudart::tiled_kernel("reference"));
    options.results = folder / "results";
    options.kernels = {"matmul_tiled"};
    options.parameters = {"m", "n", "k"};
    options.sizes = {{8, 6, 4}};
    options.values = "zero-mean";
    return options;
  }

  json record() const {
    std::ifstream in(folder / "results");
    for (std::string line; std::getline(in, line);)
      if (const json found = json::parse(line); found["record"] == "time") return found;
    return {};
  }
  bool complete() const { return contains(contents_of(folder / "results"), R"({"record":"end"})"); }

  TemporaryFolder folder;
  LabProgram lab = {.make = make_product, .launch = start, .rounds = product_rounds};
};

}  // namespace

TEST_CASE("the median") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("the uncertainty of equal values is nothing, and outliers do not move it") {
  CHECK(relative_uncertainty(std::vector<double>(11, 2.0)) == 0);
  std::vector<double> values(21, 2.0);
  values[0] = 100;
  values[20] = 0.01;
  CHECK(relative_uncertainty(values) == 0);
  CHECK(relative_uncertainty({1, 2, 3, 4, 5}) > 0.3);
}

TEST_CASE_FIXTURE(Fixture, "the ratio is the reference's time by the student's, from paired rounds") {
  CHECK(time([](const Launch& launch) {
          multiply(launch);
          fake_cudart::spend(4);
        }) == 0);
  const json found = record();
  CHECK(found["size"] == json{8, 6, 4});
  CHECK(found["ratio"] == 0.25);
  CHECK(found["checked"] == "pass");
  CHECK(found["settled"] == true);
  CHECK(found["student_ms"] == std::vector<double>(12, 4.0));
  CHECK(found["reference_ms"] == std::vector<double>(12, 1.0));
  CHECK(complete());
}

TEST_CASE_FIXTURE(Fixture, "a second launch that is faster than the first favours nobody") {
  int launches = 0;
  const auto alike = [&](const Launch& launch) {
    multiply(launch);
    fake_cudart::spend(++launches % 2 ? 8.0f : 5.0f);
  };
  fake_cudart::teach("reference", alike);
  CHECK(time(alike) == 0);
  CHECK(record()["ratio"] == doctest::Approx(1));
  CHECK(record()["settled"] == true);
}

TEST_CASE_FIXTURE(Fixture, "nothing waits between the flush of the cache and the timed launch") {
  CHECK(time([](const Launch& launch) {
          multiply(launch);
          if (!fake_cudart::busy()) fake_cudart::spend(10);  // the idle GPU needs time to start
          fake_cudart::spend(1);
        }) == 0);
  CHECK(record()["student_ms"] == std::vector<double>(12, 1.0));
}

TEST_CASE_FIXTURE(Fixture, "a ratio that does not settle ends after a number of rounds and says so") {
  std::uint64_t launches = 0;
  time([&](const Launch& launch) {
    multiply(launch);
    fake_cudart::spend(static_cast<float>(1 + random_bits(5, ++launches) % 1024));
  });
  CHECK(record()["settled"] == false);
  CHECK(record()["student_ms"].size() >= 41);
}

TEST_CASE_FIXTURE(Fixture, "kernels run within the process's turn, and rounds are prepared outside it") {
  const std::filesystem::path file = folder / "turn";
  const int other = open(file.c_str(), O_RDONLY | O_CREAT, 0600);
  const auto is_free = [&] { return flock(other, LOCK_EX | LOCK_NB) == 0 && flock(other, LOCK_UN) == 0; };
  GpuTurn::use(file);
  static std::function<bool()> between_rounds;
  static int free_between = 0;
  between_rounds = is_free;
  lab = {.make =
             [](Dataset& data) {
               make_product(data);
               free_between += between_rounds();
             },
         .launch = start};
  int free_within = 0;
  CHECK(time([&](const Launch& launch) {
          multiply(launch);
          fake_cudart::spend(1);
          free_within += is_free();
        }) == 0);
  CHECK(free_within == 0);
  CHECK(free_between == 13);  // the first values, and those of 12 rounds
  GpuTurn::use({});
  close(other);
}

TEST_CASE_FIXTURE(Fixture, "each round has new inputs and an unwritten output") {
  float last = 0;
  int rounds = 0;
  bool unwritten = true;
  CHECK(time([&](const Launch& launch) {
          if (launch.A[0] != last) {
            ++rounds;
            unwritten = unwritten && launch.C[0] != launch.C[0];
          }
          last = launch.A[0];
          multiply(launch);
          fake_cudart::spend(1);
        }) == 0);
  CHECK(rounds >= 12);
  CHECK(unwritten);
}

TEST_CASE_FIXTURE(Fixture, "a kernel that replays an old result is caught") {
  std::vector<float> first;
  CHECK(time([&](const Launch& launch) {
          if (first.empty()) {
            multiply(launch);
            first.assign(launch.C, launch.C + launch.m * launch.n);
          }
          std::copy(first.begin(), first.end(), launch.C);
          fake_cudart::spend(1);
        }) == 1);
  CHECK(record()["checked"] == "wrong_answer");
}

TEST_CASE_FIXTURE(Fixture, "a lab without rounds of its own has new inputs and all of its results compared") {
  lab.rounds = nullptr;
  std::set<float> seen;
  CHECK(time([&](const Launch& launch) {
          seen.insert(launch.A[0]);
          multiply(launch);
          fake_cudart::spend(1);
        }) == 0);
  CHECK(seen.size() >= 12);
  CHECK(time([&](const Launch& launch) {
          multiply(launch);
          launch.C[5] += 1;
        }) == 1);
  CHECK(record()["checked"] == "wrong_answer");
  CHECK(contains(record()["message"], "In a timed run: C[0][5] should be"));
}

TEST_CASE_FIXTURE(Fixture, "an error while timing is recorded, without a ratio") {
  CHECK(time([](const Launch&) { fake_cudart::stick(700); }) == 1);
  CHECK(contains(record()["error"], "cudaErrorIllegalAddress while running the kernel"));
  CHECK_FALSE(record().contains("ratio"));
  CHECK(complete());
}

TEST_CASE_FIXTURE(Fixture, "the reference's result is not there for the student's kernel to copy") {
  const float* reference_C = nullptr;
  fake_cudart::teach("reference", [&](const Launch& launch) {
    multiply(launch);
    reference_C = launch.C;
    fake_cudart::spend(1);
  });
  bool found = false;
  float warm_up = 0;
  time([&](const Launch& launch) {
    multiply(launch);
    fake_cudart::spend(1);
    if (warm_up == 0) warm_up = launch.A[0];
    if (launch.A[0] != warm_up) found = found || reference_C[0] == launch.C[0];
  });
  CHECK_FALSE(found);
}

TEST_CASE_FIXTURE(Fixture, "a reference that cannot be used is not the student's fault") {
  Options broken = options();
  broken.reference = fake_cudart::write_kernel(folder / "reference", "kernel other does reference");
  CHECK(contains(message_of<DataError>([&] { run_timing(broken, lab); }), "cannot be used"));
  broken.reference = folder / "none";
  CHECK(contains(message_of<UsageError>([&] { run_timing(broken, lab); }), "cannot be read"));
}
