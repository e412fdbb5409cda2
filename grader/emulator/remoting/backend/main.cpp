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
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "isa/operation.hpp"
#include "remoting/backend/run.hpp"

using namespace warpgrade;
using namespace warpgrade::remoting;
using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostFailures = 128;  // places in the program whose call is made to fail
using Places = std::set<CallPlace>;

// The places whose first call has failed, those of which later calls have, and those that are too many.
struct Failed {
  Places first, later, untried;
};

// The calls that are to fail: of each place the first one, and where a loop comes to the place again the last
// one and one between, unless they are among `failed` already. A program that looks only in a loop's first
// turn, or behind the loop, notices one of them; `choice` decides which turn between, so that no program can
// look in all turns that fail and in no other.
std::vector<PlannedFailure> failures(const Json& calls, Failed& failed, std::size_t choice) {
  std::vector<PlannedFailure> found;
  std::map<CallPlace, std::size_t> turns;
  for (const Json& call : calls) {
    if (!call.value("can_fail", false)) continue;
    const CallPlace place = call_place(call);
    if (turns[place]++ != 0 || failed.first.contains(place)) continue;
    if (failed.first.size() == kMostFailures) {
      failed.untried.insert(place);
      continue;
    }
    failed.first.insert(place);
    found.push_back({place, 0});
  }
  for (const auto& [place, count] : turns) {
    if (count < 2 || !failed.first.contains(place) || !failed.later.insert(place).second) continue;
    found.push_back({place, count - 1});
    if (count > 2) found.push_back({place, 1 + choice % (count - 2)});
  }
  return found;
}

// After so many timeouts no further run starts, so that a class does not wait for one program.
constexpr int kMostTimeouts = 2;
// Runs without a failure among n with one. A program that ends with an error whenever it likes must not do so
// in these, or it has noticed nothing: it would have to guess which are which of them and of the failures at
// which it does not look.
std::size_t controls(std::size_t failures) { return std::clamp<std::size_t>(failures, 4, 10); }

// No call of a control fails.
std::vector<std::optional<PlannedFailure>> with_controls(const std::vector<PlannedFailure>& failures) {
  std::vector<std::optional<PlannedFailure>> order(failures.begin(), failures.end());
  if (order.empty()) return order;
  order.resize(order.size() + controls(order.size()));
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

void write_down(std::vector<std::string>& lines, RunRecord record, bool is_first, std::size_t untried = 0) {
  Json& report = record.report;
  report["lost"] = record.lost;
  report["findings"] = Json::array();
  for (const std::string& line : record.findings) {
    Json finding = Json::parse(line, nullptr, false);
    if (!finding.is_discarded()) report["findings"].push_back(std::move(finding));
  }
  report["first"] = is_first;
  report["untried"] = untried;
  if (is_first) report["launches"] = unlike_launches(record.counters);
  lines.push_back(report.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::vector<std::string> run_all(const Json& plan, const std::string& program, const std::string& frontend) {
  std::vector<std::string> lines;
  int timeouts = 0;
  const auto choice = plan.value("choice", std::size_t{0});
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
    const std::size_t untried = failed.untried.size();
    std::vector<PlannedFailure> planned;
    if (each.at("fail_each").get<bool>() && !first.lost && first.report.at("exit_code") == 0)
      planned = failures(first.report.at("calls"), failed, choice);
    write_down(lines, first, true, failed.untried.size() - untried);
    run.like = &first.report;
    run.tracks = run.counts = false;
    for (const std::optional<PlannedFailure>& failure : with_controls(planned)) {
      run.fail = failure;
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
