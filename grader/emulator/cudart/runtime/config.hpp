// The environment variables WARPGRADE_*, read once.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "cudart/device/gpu.hpp"
#include "machine/launch.hpp"

namespace warpgrade::cudart {

struct Config {
  emulator::LaunchOptions options;
  const Gpu* gpu = nullptr;
  bool check_order = true;    // between streams, graphs and the host
  bool late_streams = false;  // work of streams is done when the program waits for it
  std::string findings;       // file; empty: readable text on stderr
  std::string counters;       // file; empty: nothing is counted
  std::string trace;          // file; empty: no trace
};

// A variable with an impossible value; the text names the variable, the value and what is allowed.
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Environment = std::function<const char*(const char*)>;  // std::getenv, or a test's
Config read_config(const Environment& get);

}  // namespace warpgrade::cudart
