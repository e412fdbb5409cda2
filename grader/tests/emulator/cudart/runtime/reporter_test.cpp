#include "cudart/runtime/reporter.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine/memory/device_memory.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;
using Json = nlohmann::json;

namespace {

struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "warpgrade-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

std::vector<Json> lines(const std::filesystem::path& path) {
  std::vector<Json> all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  return all;
}

// A launch of an empty kernel, as it is reported.
struct Launch {
  emulator::DeviceMemory memory{std::size_t{1} << 20};
  std::unique_ptr<emulator::Program> program = emulator::Program::load(
      ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry f() { ret; }\n"), memory);
  emulator::LaunchRequest request;
  emulator::LaunchResult result;
  Launch() {
    request.kernel = program->find_kernel("f");
    request.grid = {3, 2, 1};
  }
};

Config config_with(const std::string& findings, const std::string& counters) {
  Config config;
  config.findings = findings;
  config.counters = counters;
  return config;
}

}  // namespace

TEST_CASE("findings and counters are lines with the label and the number of the launch") {
  TemporaryFolder folder;
  const std::string findings = folder.path / "f.jsonl", counters = folder.path / "c.jsonl";
  Launch launch;
  {
    Reporter reporter(config_with(findings, counters));
    reporter.launched(launch.request, launch.result);
    CHECK(reporter.last_finding_count() == 0);
    reporter.set_label("15x16x17");
    launch.result.findings.resize(2);
    launch.result.findings[1].message = "second";
    reporter.launched(launch.request, launch.result);
    CHECK(reporter.last_finding_count() == 2);
  }
  const auto found = lines(findings), counted = lines(counters);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["label"] == "15x16x17");
  CHECK(found[0]["launch"] == 2);
  CHECK(found[0]["kernel"] == "f");
  CHECK(found[1]["message"] == "second");
  REQUIRE(counted.size() == 2);
  CHECK(counted[0]["label"] == "");
  CHECK(counted[0]["launch"] == 1);
  CHECK(counted[1]["grid"] == Json::array({3, 2, 1}));
}

TEST_CASE("a finding of later launches at the same place is counted") {
  TemporaryFolder folder;
  const std::string findings = folder.path / "f.jsonl";
  Launch launch;
  launch.result.findings.resize(1);
  launch.result.findings[0].site.line = 7;
  launch.result.findings[0].times = 2;
  {
    Reporter reporter(config_with(findings, ""));
    for (int i = 0; i < 1000; ++i) reporter.launched(launch.request, launch.result);
    reporter.set_label("another");
    reporter.launched(launch.request, launch.result);
  }
  const auto found = lines(findings);
  REQUIRE(found.size() == 3);
  CHECK(found[0]["launch"] == 1);
  CHECK(found[1]["label"] == "another");
  CHECK(found[2]["repeated"] == 999);
  CHECK(found[2]["times"] == 1998);
  CHECK(found[2]["line"] == 7);
}

TEST_CASE("findings that a rule suppresses are counted once a place") {
  TemporaryFolder folder;
  const std::string findings = folder.path / "f.jsonl", rules = folder.path / "rules";
  std::ofstream(rules) << "# a comment\n\nout-of-bounds-* f *:7-9 as intended\n* g * never used\n";
  Launch launch;
  launch.result.findings.resize(3);
  for (int i = 0; i < 3; ++i) {
    emulator::Site& site = launch.result.findings[static_cast<std::size_t>(i)].site;
    site.instruction = static_cast<std::uint32_t>(i);
    site.file = "/x/a.cu";
    site.line = 8 + i;
  }
  Config config = config_with(findings, "");
  config.suppressions = emulator::read_suppressions(rules);
  {
    Reporter reporter(config);
    for (int i = 0; i < 5; ++i) reporter.launched(launch.request, launch.result);
  }
  const auto found = lines(findings);
  REQUIRE(found.size() == 3);  // the third place, its repetitions, the rule
  CHECK(found[0]["line"] == 10);
  const Json& used = found[1].contains("suppressed") ? found[1] : found[2];
  CHECK(used["suppressed"] == 2);
  CHECK(used["times"] == 10);
  CHECK(used["rule"] == rules + ":3");
  CHECK(used["reason"] == "as intended");
}

TEST_CASE("files are appended to") {
  TemporaryFolder folder;
  const std::string findings = folder.path / "f.jsonl";
  Launch launch;
  launch.result.findings.resize(1);
  for (int process = 0; process < 2; ++process)
    Reporter(config_with(findings, "")).launched(launch.request, launch.result);
  CHECK(lines(findings).size() == 2);
}

TEST_CASE("a file that cannot be written is an error of the configuration") {
  CHECK_THROWS_WITH_AS(Reporter(config_with("/nowhere/f.jsonl", "")),
                       "WARPGRADE_FINDINGS=/nowhere/f.jsonl cannot be written: No such file or directory",
                       ConfigError);
  CHECK_THROWS_AS(Reporter(config_with("", "/nowhere/c.jsonl")), ConfigError);
}
