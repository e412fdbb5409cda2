// Runs a program on the emulator and observes it from another process:
//
//   backend PLAN.json
//
// The plan names the program and its runs. A run with "fail_each" is repeated with each call failing in turn
// of those places in the program that failed in no run before: the first call of a place, and the last one
// and one between of a place that a loop comes to again. Results are written after all processes of the
// program have ended: one JSON object per line, prefixed with the plan's nonce, because the program may write
// to the same output but does not know that word.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "isa/operation.hpp"
#include "remoting/backend/run.hpp"

using namespace warpgrade;
using namespace warpgrade::remoting;
using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostFailures = 64;  // places in the program whose call is made to fail
using Places = std::set<std::pair<std::string, std::uint64_t>>;  // functions and their callers

// The places whose first call has failed, and those of which later calls have.
struct Failed {
  Places first, later;
};

Places::value_type place_of(const Json& call) {
  return {call.at("function").get<std::string>(), call.at("caller").get<std::uint64_t>()};
}

// The calls that are to fail: of each place the first one, and where a loop comes to the place again the last
// one and one between, unless they are among `failed` already. A program that looks only in a loop's first
// turn, or behind the loop, notices one of them; `choice` decides which turn between, so that no program can
// look in all turns that fail and in no other.
std::vector<std::int64_t> failures(const Json& calls, Failed& failed, std::size_t choice) {
  std::vector<std::int64_t> found;
  std::map<Places::value_type, std::vector<std::int64_t>> again;  // calls of places that were called before
  Places here;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].at("can_fail").get<bool>()) continue;
    const Places::value_type place = place_of(calls[i]);
    if (!here.insert(place).second) again[place].push_back(static_cast<std::int64_t>(i));
    if (failed.first.size() < kMostFailures && failed.first.insert(place).second)
      found.push_back(static_cast<std::int64_t>(i));
  }
  for (const auto& [place, later] : again) {
    if (!failed.first.contains(place) || !failed.later.insert(place).second) continue;
    found.push_back(later.back());
    if (later.size() > 1) found.push_back(later[choice % (later.size() - 1)]);
  }
  return found;
}

// A number that is the same for the same program, and another for one that is changed.
std::size_t number_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  return std::hash<std::string>{}({std::istreambuf_iterator<char>(file), {}});
}

// After so many timeouts no further run starts, so that a class does not wait for one program.
constexpr int kMostTimeouts = 2;
constexpr std::int64_t kControl = -1;  // no call fails
// A program that ends with an error whenever it likes must not do so in a control, or it has noticed nothing.
// Among n failures it has to guess where these five are: one chance in n + 5 over 5, 252 for n = 5.
constexpr std::size_t kControls = 5;

std::vector<std::int64_t> with_controls(std::vector<std::int64_t> order) {
  if (order.empty()) return order;
  order.resize(order.size() + kControls, kControl);
  std::random_device secret;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[secret() % i]);
  return order;
}

// One launch of each kernel and shape: the others of the same shape take about the same time.
Json unlike_launches(const std::vector<std::string>& counters) {
  Json found = Json::array();
  std::set<std::string> seen;
  for (const std::string& line : counters) {
    Json launch = Json::parse(line, nullptr, false);
    if (launch.is_discarded()) continue;
    const Json shape = {launch.value("kernel", ""), launch.value("grid", Json()),
                        launch.value("block", Json())};
    if (seen.insert(shape.dump()).second) found.push_back(std::move(launch));
  }
  return found;
}

void write_down(std::vector<std::string>& lines, RunRecord record, bool is_first) {
  Json& report = record.report;
  report["lost"] = record.lost;
  report["findings"] = Json::array();
  for (const std::string& line : record.findings) {
    Json finding = Json::parse(line, nullptr, false);
    if (!finding.is_discarded()) report["findings"].push_back(std::move(finding));
  }
  report["first"] = is_first;
  if (is_first) report["launches"] = unlike_launches(record.counters);
  lines.push_back(report.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::vector<std::string> run_all(const Json& plan, const std::string& program, const std::string& frontend) {
  std::vector<std::string> lines;
  int timeouts = 0;
  const std::size_t choice = number_of(program);
  Failed failed;
  for (const Json& each : plan.at("runs")) {
    if (timeouts >= kMostTimeouts) break;
    RunPlan run;
    run.label = each.at("label");
    run.counts = each.value("counts", false);
    run.program = program;
    run.frontend = frontend;
    run.seconds = each.at("seconds");
    run.folder = each.at("folder");
    run.outputs = each.at("outputs").get<std::vector<std::string>>();
    run.arguments = each.at("arguments").get<std::vector<std::string>>();
    const RunRecord first = run_once(run);
    if (first.report.value("timed_out", false)) ++timeouts;
    write_down(lines, first, true);
    if (!each.at("fail_each").get<bool>() || first.lost || first.report.at("exit_code") != 0) continue;
    run.like = &first.report;
    run.tracks = run.counts = false;
    for (const std::int64_t number : with_controls(failures(first.report.at("calls"), failed, choice))) {
      run.fail = number;
      if (timeouts >= kMostTimeouts) break;
      RunRecord record = run_once(run);
      if (record.report.value("timed_out", false)) ++timeouts;
      write_down(lines, std::move(record), false);
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
    isa::table();  // made here once, where each run's process would make it again
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
