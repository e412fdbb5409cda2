#include "remoting/backend/reruns.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "remoting/backend/descriptor.hpp"

namespace warpgrade::remoting {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kOneByOne = 2;  // so few runs are not worth processes of their own

// A process that makes every n-th of the runs. It reaps what the programs in its place leave behind, which
// therefore cannot outlive the run, and does not see those in other places.
struct Worker {
  pid_t process;
  int reports;      // a file, one line a run
  std::size_t own;  // runs that it is to make
};

bool has_timed_out(const Json& report) { return report.value("timed_out", false); }

// Calls `take` with the line of each run until there were too many timeouts.
template <class Take>
void run_each(RunPlan plan, const std::vector<std::optional<PlannedFailure>>& order, int& timeouts,
              const Take& take) {
  for (const std::optional<PlannedFailure>& failure : order) {
    if (timeouts >= kMostTimeouts) return;
    plan.fail = failure;
    const Json report = report_of(run_once(plan), false);
    timeouts += has_timed_out(report);
    take(line_of(report));
  }
}

std::vector<std::optional<PlannedFailure>> every(std::size_t step, std::size_t first,
                                                 const std::vector<std::optional<PlannedFailure>>& order) {
  std::vector<std::optional<PlannedFailure>> found;
  for (std::size_t i = first; i < order.size(); i += step) found.push_back(order[i]);
  return found;
}

Worker start(const RunPlan& plan, const std::vector<std::optional<PlannedFailure>>& own, int timeouts) {
  const int reports = memfd_create("reports", MFD_CLOEXEC);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // fork does not hand it on
    run_each(plan, own, timeouts, [&](std::string line) {
      if (!append(reports, line += '\n')) _exit(125);
    });
    _exit(0);
  }
  return {process, reports, own.size()};
}

// The lines that the worker wrote. A worker that a program killed has lost its other runs.
std::vector<std::string> finish(const Worker& worker, const std::string& label) {
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  std::vector<std::string> lines = lines_of(worker.reports);
  close(worker.reports);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return lines;
  RunRecord lost;
  lost.report = {{"label", label}};
  lost.lost = true;
  lines.resize(worker.own, line_of(report_of(std::move(lost), false)));
  return lines;
}

}  // namespace

Json report_of(RunRecord record, bool is_first) {
  Json report = std::move(record.report);
  report["lost"] = record.lost;
  report["findings"] = Json::array();
  for (const std::string& line : record.findings) {
    Json finding = Json::parse(line, nullptr, false);
    if (!finding.is_discarded()) report["findings"].push_back(std::move(finding));
  }
  report["first"] = is_first;
  return report;
}

std::string line_of(const Json& report) { return report.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::vector<std::string> run_again(const RunPlan& plan, const std::vector<Workplace>& places,
                                   const std::vector<std::optional<PlannedFailure>>& order, int& timeouts) {
  std::vector<std::string> lines;
  if (order.size() <= kOneByOne || places.size() == 1) {
    run_each(plan, order, timeouts, [&](std::string line) { lines.push_back(std::move(line)); });
    return lines;
  }
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    RunPlan there = plan;
    there.place = places[i];
    workers.push_back(start(there, every(places.size(), i, order), timeouts));
  }
  for (const Worker& worker : workers)
    for (std::string& line : finish(worker, plan.label)) lines.push_back(std::move(line));
  kill_what_is_left();  // by a worker that was killed
  timeouts += static_cast<int>(std::ranges::count_if(
      lines, [](const std::string& line) { return has_timed_out(Json::parse(line, nullptr, false)); }));
  return lines;
}

}  // namespace warpgrade::remoting
