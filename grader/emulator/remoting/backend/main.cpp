// Runs a program on the emulator and observes it from another process:
//
//   backend PLAN.json PROGRAM FRONTEND
//
// The plan names the runs and the program's working folder. A run with "fail_each" is repeated with one call
// failing, for each place in the program that has failed in no run before: see failures.hpp. Results are
// written after all processes of the program have ended: one JSON object per line, prefixed with the plan's
// nonce, because the program may write to the same output but does not know the nonce.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "remoting/backend/failures.hpp"
#include "remoting/backend/reruns.hpp"

using namespace warpgrade;
using namespace warpgrade::remoting;
using Json = nlohmann::json;

namespace {

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

// By name, what all launches counted.
Json totals(const std::vector<std::string>& counters) {
  std::map<std::string, std::int64_t> found;
  for (const std::string& line : counters) {
    const Json launch = Json::parse(line, nullptr, false);
    if (!launch.is_object() || !launch.contains("counters")) continue;
    for (const auto& [name, count] : launch.at("counters").items()) found[name] += count.get<std::int64_t>();
  }
  return found;
}

std::vector<Workplace> places_of(const Json& each) {
  std::vector<Workplace> places;
  for (const Json& place : each.at("places"))
    places.push_back({place.at("folder"), place.at("outputs").get<std::vector<std::string>>(),
                      place.at("arguments").get<std::vector<std::string>>()});
  return places;
}

ArrayForm form_of(const Json& array) {
  return {array.at("type").get<std::string>(), array.at("shape").get<std::vector<std::size_t>>()};
}

// The files of other inputs, which are gone before the program begins.
std::vector<OtherFile> others_of(const Json& run) {
  std::vector<OtherFile> found;
  for (const Json& each : run.value("others", Json::array())) {
    const std::string path = each.at("path");
    std::ifstream file(path, std::ios::binary);
    found.push_back({std::string(std::istreambuf_iterator<char>(file), {}), form_of(each)});
    if (unlink(path.c_str()) != 0) throw std::runtime_error("cannot remove a file of other inputs");
  }
  return found;
}

std::vector<std::string> run_all(const Json& plan, const std::string& program, const std::string& frontend) {
  std::vector<std::string> lines;
  int timeouts = 0;
  const auto choice = plan.value("choice", std::size_t{0});
  Failed failed;
  std::deque<std::vector<OtherFile>> others;
  for (const Json& each : plan.at("runs")) others.push_back(others_of(each));
  for (const Json& each : plan.at("runs")) {
    if (timeouts >= kMostTimeouts) break;
    const std::vector<Workplace> places = places_of(each);
    RunPlan run;
    run.label = each.at("label");
    run.program = program;
    run.frontend = frontend;
    run.place = places.at(0);
    run.seconds = each.at("seconds");
    run.counts = each.value("counts", false);
    for (const Json& array : each.value("arrays", Json::array())) run.outputs.push_back(form_of(array));
    run.others = std::move(others.front());
    others.pop_front();
    const RunRecord first = run_once(run);
    run.others.clear();
    if (first.report.value("timed_out", false)) ++timeouts;
    const std::size_t untried = failed.untried.size();
    std::vector<PlannedFailure> planned;
    if (each.at("fail_each").get<bool>() && !first.lost && first.report.at("exit_code") == 0)
      planned = failures(first.report.at("calls"), failed, choice);
    Json report = report_of(first, true);
    report["untried"] = failed.untried.size() - untried;
    report["launches"] = unlike_launches(first.counters);
    report["counters"] = totals(first.counters);
    lines.push_back(line_of(report));
    run.like = &first.report;
    run.tracks = run.counts = false;
    for (std::string& line : run_again(run, places, with_controls(planned), timeouts))
      lines.push_back(std::move(line));
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
