// Runs a program on the emulator and observes it from another process:
//
//   backend PLAN.json
//
// The plan names the program and its runs. A run with "fail_each" is repeated with each call failing in turn
// of those places in the program that failed in no run before. Results are written after all processes of the
// program have ended: one JSON object per line, prefixed with the plan's nonce, because the program may write
// to the same output but does not know that word.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <set>
#include <utility>

#include "remoting/backend/run.hpp"

using namespace warpgrade::remoting;
using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostFailures = 64;  // places in the program whose call is made to fail
using Places = std::set<std::pair<std::string, std::uint64_t>>;  // functions and their callers

// The first call of each place in the program that is not yet among `places`: a loop is one place.
std::vector<std::int64_t> failures(const Json& calls, Places& places) {
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < calls.size() && places.size() < kMostFailures; ++i)
    if (calls[i].at("can_fail").get<bool>() &&
        places.emplace(calls[i].at("function").get<std::string>(), calls[i].at("caller").get<std::uint64_t>())
            .second)
      found.push_back(static_cast<std::int64_t>(i));
  return found;
}

// After so many timeouts no further run starts, so that a class does not wait for one program.
constexpr int kMostTimeouts = 2;
constexpr std::int64_t kControl = -1;  // no call fails
constexpr std::size_t kLeastControls = 4;

std::string base64(const std::string& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::vector<std::int64_t> with_controls(std::vector<std::int64_t> order) {
  if (order.empty()) return order;
  order.resize(order.size() + std::max(order.size(), kLeastControls), kControl);
  std::random_device secret;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[secret() % i]);
  return order;
}

void write_down(std::vector<std::string>& lines, RunRecord record, const RunRecord* without_failure) {
  record.report["lost"] = record.lost;
  record.report["findings"] = Json::array();
  for (const std::string& line : record.findings) {
    Json finding = Json::parse(line, nullptr, false);
    if (!finding.is_discarded()) record.report["findings"].push_back(std::move(finding));
  }
  record.report["same_output"] =
      without_failure != nullptr && !record.output.empty() && record.output == without_failure->output;
  if (without_failure != nullptr && !record.lost) {
    // Whether the program made the same calls as without the failure.
    const Json &mine = record.report["calls"], &theirs = without_failure->report["calls"];
    bool same = mine.size() == theirs.size();
    for (std::size_t i = 0; same && i < mine.size(); ++i) same = mine[i]["function"] == theirs[i]["function"];
    record.report["same_calls"] = same;
    record.report["calls"] = Json::array();
  }
  record.report["first"] = without_failure == nullptr;
  // The content, not the path: the program may have put a link there that leads out of the sandbox.
  if (without_failure == nullptr) record.report["output"] = base64(record.output);
  lines.push_back(record.report.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::vector<std::string> run_all(const Json& plan, const std::string& program, const std::string& frontend) {
  std::vector<std::string> lines;
  int timeouts = 0;
  Places places;
  for (const Json& each : plan.at("runs")) {
    if (timeouts >= kMostTimeouts) break;
    RunPlan run;
    run.label = each.at("label");
    run.program = program;
    run.frontend = frontend;
    run.seconds = each.at("seconds");
    run.folder = each.at("folder");
    run.output = each.at("output");
    run.arguments = each.at("arguments").get<std::vector<std::string>>();
    const RunRecord first = run_once(run);
    if (first.report.value("timed_out", false)) ++timeouts;
    write_down(lines, first, nullptr);
    if (!each.at("fail_each").get<bool>() || first.lost || first.report.at("exit_code") != 0) continue;
    for (const std::int64_t number : with_controls(failures(first.report.at("calls"), places))) {
      run.fail = number;
      run.tracks = false;
      if (timeouts >= kMostTimeouts) break;
      RunRecord record = run_once(run);
      if (record.report.value("timed_out", false)) ++timeouts;
      write_down(lines, std::move(record), &first);
    }
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: backend PLAN.json PROGRAM FRONTEND\n", stderr);
    return 2;
  }
  try {
    const Json plan = Json::parse(std::ifstream(argv[1]));
    unlink(argv[1]);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string nonce = plan.at("nonce");
    for (const std::string& line : run_all(plan, argv[2], argv[3]))
      std::printf("\n%s %s", nonce.c_str(), line.c_str());
    std::printf("\n%s end\n", nonce.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "backend: %s\n", error.what());
    return 2;
  }
}
