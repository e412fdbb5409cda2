#include "cudart/runtime/config.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "cudart/device/gpu.hpp"

using namespace warpgrade::cudart;

namespace {

Config with(std::map<std::string, std::string> variables) {
  return read_config([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string complaint(const std::string& name, const std::string& value) {
  try {
    with({{name, value}});
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("without variables all is checked, nothing is counted, and the GPU is an H200") {
  const Config c = with({});
  CHECK(c.options.check_memory);
  CHECK(c.options.check_race);
  CHECK(c.options.check_init);
  CHECK(c.options.check_barrier);
  CHECK_FALSE(c.options.count);
  CHECK_FALSE(c.options.scalar);
  CHECK(c.options.threads == 0);
  CHECK(c.options.step_limit == 0);
  CHECK(std::string(c.gpu->id) == "h200");
  CHECK(c.findings.empty());
}

TEST_CASE("each variable is read") {
  const Config c = with({{"WARPGRADE_CHECK", "race,barrier"},
                         {"WARPGRADE_GPU", "t4"},
                         {"WARPGRADE_FINDINGS", "/tmp/f"},
                         {"WARPGRADE_COUNTERS", "/tmp/c"},
                         {"WARPGRADE_THREADS", "3"},
                         {"WARPGRADE_STEP_LIMIT", "50000000000"},
                         {"WARPGRADE_SAMPLE", "64"},
                         {"WARPGRADE_ENGINE", "scalar"}});
  CHECK_FALSE(c.options.check_memory);
  CHECK(c.options.check_race);
  CHECK_FALSE(c.options.check_init);
  CHECK(c.options.check_barrier);
  CHECK(std::string(c.gpu->id) == "t4");
  CHECK(c.findings == "/tmp/f");
  CHECK(c.options.count);
  CHECK(c.options.threads == 3);
  CHECK(c.options.step_limit == 50000000000);
  CHECK(c.options.sample == 64);
  CHECK(c.options.scalar);
  CHECK_FALSE(with({{"WARPGRADE_CHECK", "none"}}).options.check_memory);
  CHECK(with({{"WARPGRADE_CHECK", ""}}).options.check_memory);  // empty means unset
}

TEST_CASE("a wrong value is answered with those that are allowed") {
  CHECK(
      complaint("WARPGRADE_CHECK", "races") ==
      "WARPGRADE_CHECK=races is not known; allowed: all, none, or a list of memory,race,init,barrier,order");
  CHECK(complaint("WARPGRADE_CHECK", "race,") != "");
  const std::string no_gpu = complaint("WARPGRADE_GPU", "no-such-gpu");
  for (const Gpu& each : gpus()) CHECK(no_gpu.find(each.id) != std::string::npos);
  CHECK(complaint("WARPGRADE_THREADS", "-1") != "");
  CHECK(complaint("WARPGRADE_THREADS", "two") != "");
  CHECK(complaint("WARPGRADE_THREADS", "1025") != "");
  CHECK(complaint("WARPGRADE_STEP_LIMIT", "1e9") != "");
  CHECK(complaint("WARPGRADE_STEP_LIMIT", "99999999999999999999") != "");
  CHECK(complaint("WARPGRADE_ORDER", "random").find("prompt, late, random:SEED") != std::string::npos);
  CHECK(complaint("WARPGRADE_ORDER", "random:x") != "");
  CHECK(complaint("WARPGRADE_ENGINE", "fast").find("vector, scalar") != std::string::npos);
}
