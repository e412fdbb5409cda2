// The environment variables WARPGRADE_*, read once.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cudart/device/gpu.hpp"
#include "findings/suppressions.hpp"
#include "machine/launch.hpp"

namespace warpgrade::cudart {

// When the work of streams is done: when it is submitted, when the program waits for it, or at any time in
// between.
enum class WorkOrder : std::uint8_t { prompt, late, random };

struct Config {
  emulator::LaunchOptions options;
  const Gpu* gpu = nullptr;
  bool check_order = true;  // between streams, graphs and the host
  WorkOrder work_order = WorkOrder::prompt;
  std::uint64_t seed = 0;  // of WorkOrder::random
  std::string findings;    // file; empty: readable text on stderr
  std::string counters;    // file; empty: nothing is counted
  std::string trace;       // file; empty: no trace
  std::string record;      // file; empty: nothing is recorded
  emulator::RecordingRequest recording;
  std::string record_kernel;        // name; empty: any
  std::uint64_t record_launch = 1;  // which of the launches that have this block and kernel, from 1
  std::vector<emulator::Suppression> suppressions;
};

// A variable with an impossible value; the text names the variable, the value and what is allowed.
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Environment = std::function<const char*(const char*)>;  // std::getenv, or a test's
Config read_config(const Environment& get);

}  // namespace warpgrade::cudart
