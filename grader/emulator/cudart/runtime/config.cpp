#include "cudart/runtime/config.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace warpgrade::cudart {
namespace {

[[noreturn]] void reject(const char* variable, std::string_view value, const std::string& allowed) {
  throw ConfigError(std::string(variable) + "=" + std::string(value) + " is not known; allowed: " + allowed);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

void read_checks(std::string_view text, Config& config) {
  emulator::LaunchOptions& options = config.options;
  options.check_memory = options.check_race = options.check_init = options.check_barrier =
      config.check_order = text == "all";
  if (text == "all" || text == "none") return;
  for (const std::string_view part : split(text)) {
    if (part == "memory")
      options.check_memory = true;
    else if (part == "race")
      options.check_race = true;
    else if (part == "init")
      options.check_init = true;
    else if (part == "barrier")
      options.check_barrier = true;
    else if (part == "order")
      config.check_order = true;
    else
      reject("WARPGRADE_CHECK", text, "all, none, or a list of memory,race,init,barrier,order");
  }
}

const Gpu& read_gpu(std::string_view id) {
  if (const Gpu* found = find_gpu(id)) return *found;
  std::string allowed;
  for (const Gpu& each : gpus()) allowed += (allowed.empty() ? "" : ", ") + std::string(each.id);
  reject("WARPGRADE_GPU", id, allowed);
}

std::uint64_t read_number(const char* variable, std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value > most)
    reject(variable, text, "a whole number from 0 to " + std::to_string(most));
  return value;
}

// "prompt", "late" or "random:7".
void read_order(std::string_view text, Config& config) {
  constexpr std::string_view kRandom = "random:";
  if (text.starts_with(kRandom)) {
    config.work_order = WorkOrder::random;
    config.seed = read_number("WARPGRADE_ORDER", text.substr(kRandom.size()),
                              std::numeric_limits<std::uint64_t>::max());
    return;
  }
  if (text != "prompt" && text != "late") reject("WARPGRADE_ORDER", text, "prompt, late, random:SEED");
  config.work_order = text == "late" ? WorkOrder::late : WorkOrder::prompt;
}

std::vector<emulator::Suppression> read_suppressions(const std::string& path) {
  if (path.empty()) return {};
  try {
    return emulator::read_suppressions(path);
  } catch (const emulator::SuppressionError& error) {
    throw ConfigError(std::string("WARPGRADE_SUPPRESSIONS=") + error.what());
  }
}

// "x,y,z"; parts that are left out are 0.
emulator::Dim3 read_block(const char* variable, std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  if (parts.size() > 3) reject(variable, text, "x,y,z of a block, as 3,1,0");
  std::uint32_t at[3] = {0, 0, 0};
  for (std::size_t i = 0; i < parts.size(); ++i)
    at[i] = static_cast<std::uint32_t>(
        read_number(variable, parts[i], std::numeric_limits<std::uint32_t>::max()));
  return {at[0], at[1], at[2]};
}

}  // namespace

Config read_config(const Environment& get) {
  const auto text = [&](const char* variable, const char* otherwise) {
    const char* value = get(variable);
    return value == nullptr || *value == '\0' ? otherwise : value;
  };
  Config config;
  read_checks(text("WARPGRADE_CHECK", "all"), config);
  config.gpu = &read_gpu(text("WARPGRADE_GPU", "h200"));
  config.findings = text("WARPGRADE_FINDINGS", "");
  config.counters = text("WARPGRADE_COUNTERS", "");
  config.options.count = !config.counters.empty();
  config.trace = text("WARPGRADE_TRACE", "");
  config.options.trace = !config.trace.empty();
  config.options.trace_block = read_block("WARPGRADE_TRACE_BLOCK", text("WARPGRADE_TRACE_BLOCK", "0"));
  config.record = text("WARPGRADE_RECORD", "");
  config.recording.block = read_block("WARPGRADE_RECORD_BLOCK", text("WARPGRADE_RECORD_BLOCK", "0"));
  config.recording.first = read_number("WARPGRADE_RECORD_FIRST", text("WARPGRADE_RECORD_FIRST", "0"),
                                       std::numeric_limits<std::uint64_t>::max());
  config.recording.most = read_number("WARPGRADE_RECORD_STEPS", text("WARPGRADE_RECORD_STEPS", "200000"),
                                      std::numeric_limits<std::uint32_t>::max());
  config.record_kernel = text("WARPGRADE_RECORD_KERNEL", "");
  config.record_launch = read_number("WARPGRADE_RECORD_LAUNCH", text("WARPGRADE_RECORD_LAUNCH", "1"),
                                     std::numeric_limits<std::uint32_t>::max());
  config.options.threads =
      static_cast<int>(read_number("WARPGRADE_THREADS", text("WARPGRADE_THREADS", "0"), 1024));
  config.options.step_limit = read_number("WARPGRADE_STEP_LIMIT", text("WARPGRADE_STEP_LIMIT", "0"),
                                          std::numeric_limits<std::uint64_t>::max());
  config.options.sample = read_number("WARPGRADE_SAMPLE", text("WARPGRADE_SAMPLE", "0"),
                                      std::numeric_limits<std::uint64_t>::max());
  const std::string_view engine = text("WARPGRADE_ENGINE", "vector");
  if (engine != "vector" && engine != "scalar") reject("WARPGRADE_ENGINE", engine, "vector, scalar");
  read_order(text("WARPGRADE_ORDER", "prompt"), config);
  config.options.scalar = engine == "scalar";
  config.suppressions = read_suppressions(text("WARPGRADE_SUPPRESSIONS", ""));
  return config;
}

}  // namespace warpgrade::cudart
