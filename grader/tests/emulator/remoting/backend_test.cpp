// Runs programs/*.cu beside the back end, from another process.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/emulator/support/checkout.hpp"
#include "tests/emulator/support/sanitized.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Where a program works, with an output of before, which is removed when it runs there.
Json place(const fs::path& folder, const std::string& name) {
  const fs::path own = folder / name;
  fs::create_directories(own);
  std::ofstream(own / "none.npy") << "of before";
  return {{"folder", own.string()}, {"outputs", {(own / "none.npy").string()}}, {"arguments", Json::array()}};
}

// The back end's records of a program's runs, in as many equal cases.
std::vector<Json> run(const std::string& program, bool fail_each, std::size_t cases = 1) {
  const fs::path folder = fs::temp_directory_path() / ("backend-test-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const Json each = {{"label", program},
                     {"places", {place(folder, "0"), place(folder, "1")}},
                     {"seconds", 30},
                     {"fail_each", fail_each}};
  const Json plan = {{"nonce", "secret"}, {"runs", std::vector<Json>(cases, each)}};
  std::ofstream(folder / "plan.json") << plan;
  const std::string command = "'" + (warpgrade::checkout() / "build/emulator/backend").string() + "' '" +
                              (folder / "plan.json").string() + "' '" +
                              (warpgrade::checkout() / "build/tests/programs" / program).string() + "' '" +
                              (warpgrade::checkout() / "build/frontend").string() + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char part[4096];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, pipe)) != 0;) output.append(part, got);
  CHECK(pclose(pipe) == 0);
  CHECK_FALSE(fs::exists(folder / "plan.json"));
  CHECK_FALSE(fs::exists(folder / "0/none.npy"));
  CHECK(fs::exists(folder / "1/none.npy") != fail_each);  // runs with a failing call go on in both places
  fs::remove_all(folder);
  std::vector<Json> records;
  for (std::size_t at = output.find("\nsecret {"); at != std::string::npos;
       at = output.find("\nsecret {", at + 1))
    records.push_back(Json::parse(output.substr(at + 8, output.find('\n', at + 1) - at - 8)));
  return records;
}

// What a program must print.
std::string printed_by(const std::string& program) {
  std::string expected;
  std::ifstream source(warpgrade::checkout() / "grader/tests/fixtures/programs" / (program + ".cu"));
  for (std::string line; std::getline(source, line);)
    if (line.starts_with("//= ")) expected += line.substr(4) + "\n";
  return expected;
}

std::vector<std::string> codes(const Json& record) {
  std::vector<std::string> found;
  for (const Json& finding : record.at("findings")) found.push_back(finding.at("code"));
  return found;
}

}  // namespace

TEST_CASE("a program beside the back end prints what it prints with the emulator in its own process") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("vector_add", false);
  REQUIRE(records.size() == 1);
  const Json& record = records[0];
  CHECK(record.at("exit_code") == 0);
  CHECK(record.at("lost") == false);
  CHECK(record.at("printed") == printed_by("vector_add"));
  CHECK_FALSE(record.at("calls").empty());
}

TEST_CASE("each call fails in turn, and four to ten runs without a failure stand among these") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("vector_add", true);
  std::size_t failed = 0, controls = 0;
  for (const Json& record : records) {
    if (record.at("first") == true) continue;
    const bool fails = !record.at("failed").is_null();
    (fails ? failed : controls) += 1;
    CHECK((record.at("exit_code") == 0) == !fails);  // the program looks at every error
  }
  CHECK(failed >= 5);
  CHECK(controls == std::clamp<std::size_t>(failed, 4, 10));
}

TEST_CASE("a place in the program fails in the first case that reaches it, and in no other") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> once = run("vector_add", true), twice = run("vector_add", true, 2);
  REQUIRE(twice.size() == once.size() + 1);
  CHECK(twice.back().at("first") == true);
}

TEST_CASE("an access of the host to device memory ends the program, and is reported") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("host_touches_device_memory", false);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("signal") == SIGSEGV);
  const std::vector<std::string> found = codes(records[0]);
  CHECK(std::find(found.begin(), found.end(), "WG116") != found.end());
}

TEST_CASE("a managed variable is in memory that the program and the device share") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("managed", false);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("exit_code") == 0);
  CHECK(records[0].at("printed") == "counter 7, then 107\nsum 4950\n");
  CHECK(records[0].at("variable_bytes") == 4);
}

TEST_CASE("each launch of a graph reads the program's own memory as it is then, and writes it") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("captured_copies_of_pageable_memory", false);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("exit_code") == 0);
  CHECK(records[0].at("printed") == "launched: 1 2 3, again: 11 12 13, rows: 5 6 / 8 9\n");
}

TEST_CASE("a graph is captured and launched, and the record says what was captured") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("captured_copies", false);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("exit_code") == 0);
  CHECK(records[0].at("printed") == "captured: 1 2 3, twice: 2 3 4\n");
  std::size_t captured = 0, launches = 0;
  for (const Json& call : records[0].at("calls")) {
    captured += call.at("captured") == true ? 1 : 0;
    launches += call.at("function") == "cudaGraphLaunch" ? 1 : 0;
    if (call.at("function") == "cudaLaunchKernel") {
      CHECK(call.at("kernel").get<std::string>().find("increase") != std::string::npos);
      CHECK(call.at("block") == Json({3, 1, 1}));
    }
  }
  CHECK(captured == 8);  // the beginning, two copies, a kernel, two events and the waits for them
  CHECK(launches == 2);
}

TEST_CASE("a graph is built node by node, and the record says what each launch runs") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("graph_nodes", false);
  REQUIRE(records.size() == 1);
  const std::string printed = records[0].at("printed");
  CHECK(printed == printed_by("graph_nodes"));
  CHECK(records[0].at("exit_code") == 0);
  CHECK(codes(records[0]).empty());
  const Json& calls = records[0].at("calls");
  std::vector<std::string> first;
  for (const Json& call : calls) {
    if (call.at("function").get<std::string>().starts_with("cudaGraphAdd") && call.at("bytes") != 0)
      CHECK((call.at("captured") == true || call.at("memory") != 0));
    if (call.at("function") != "cudaGraphLaunch" || !first.empty()) continue;
    for (const Json& node : call.at("nodes")) {
      first.push_back(node.at("does"));
      for (const Json& before : node.at("before")) CHECK(before.get<std::size_t>() < first.size() - 1);
      if (node.at("does") != "") CHECK(calls[node.at("call").get<std::size_t>()].at("captured") == true);
    }
  }
  CHECK(first == std::vector<std::string>{"cudaMemcpyAsync", "cudaLaunchKernel", "cudaLaunchKernel",
                                          "cudaMemcpyAsync", "cudaMemcpyAsync", ""});
}

TEST_CASE("functions of the host in graphs run in the program, behind what they wait for") {
  if (warpgrade::is_sanitized()) return;
  const std::vector<Json> records = run("graph_functions", false);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("printed") == printed_by("graph_functions"));
  CHECK(codes(records[0]).empty());
}
