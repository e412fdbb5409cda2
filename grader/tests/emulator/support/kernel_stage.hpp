// Runs kernels of the form `kernel(int* out, int n)` under all configurations that must give the same result.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/finding.hpp"
#include "machine/launch.hpp"

namespace stage {

namespace emulator = warpgrade::emulator;

// How to run a kernel. A correct kernel gives the same result under all configurations.
struct RunConfig {
  std::string_view name = "vector";
  bool scalar = false, checks = false, count = false;
  int workers = 1;
};
inline const std::vector<RunConfig>& run_configs() {
  static const std::vector<RunConfig> kConfigs = {{"vector", false, false, false, 1},
                                                  {"scalar", true, false, false, 1},
                                                  {"checks and counters", false, true, true, 1},
                                                  {"three workers", false, false, false, 3}};
  return kConfigs;
}

struct Ran {
  emulator::LaunchResult result;
  std::vector<std::int32_t> out;
  bool succeeded() const { return result.status == emulator::LaunchStatus::success; }
  // The number of places where a finding of this kind was reported.
  int found(emulator::FindingKind kind) const {
    int count = 0;
    for (const emulator::Finding& finding : result.findings) count += finding.kind == kind;
    return count;
  }
  const emulator::Finding* first(emulator::FindingKind kind) const {
    for (const emulator::Finding& finding : result.findings) {
      if (finding.kind == kind) return &finding;
    }
    return nullptr;
  }
};

// A module in device memory of its own. Module variables keep their values from launch to launch.
class Stage {
 public:
  explicit Stage(const std::string& kernels);  // file in build/tests/kernels, without its extension
  static Stage of_text(const std::string& ptx);
  ~Stage();
  Stage(Stage&&) noexcept;

  emulator::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::uint64_t step_limit = 0;
  std::uint64_t sample = 0;
  bool cooperative = false;
  std::vector<std::byte> more_parameters;  // behind `out` and `n`, as they lie in memory

  // `size` ints, zero at first; 0: one for each thread.
  Ran run(const std::string& kernel, int n, const RunConfig& config = {}, std::size_t size = 0);
  const emulator::Program& program() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  explicit Stage(std::unique_ptr<Impl> impl);
};

// Checks that every configuration gives `expected` of each index, without findings. `size` as in Stage::run.
inline void compare(Stage& stage, const std::string& kernel, int n, const std::function<int(int)>& expected,
                    std::size_t size = 0) {
  for (const RunConfig& config : run_configs()) {
    CAPTURE(kernel);
    CAPTURE(config.name);
    const Ran ran = stage.run(kernel, n, config, size);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.findings.empty());
    for (std::size_t i = 0; i < ran.out.size(); ++i) {
      CAPTURE(i);
      REQUIRE(ran.out[i] == expected(static_cast<int>(i)));
    }
  }
}

}  // namespace stage
