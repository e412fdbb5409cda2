// Runs of a program on one case that follow its first run.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "remoting/backend/run.hpp"

namespace warpgrade::remoting {

// After so many timeouts no further run starts, so that a class does not wait for one program.
constexpr int kMostTimeouts = 2;

// The report of a run with its findings, as the back end writes it.
nlohmann::json report_of(RunRecord record, bool is_first);
// A report as one line.
std::string line_of(const nlohmann::json& report);

// Runs the program once for each of `order`, in which that call fails, if any: at the same time in each of
// `places`, and there one after the other. One line of report a run, as far as it ran; `timeouts` counts
// those that did not end, those before included.
std::vector<std::string> run_again(const RunPlan& plan, const std::vector<Workplace>& places,
                                   const std::vector<std::optional<PlannedFailure>>& order, int& timeouts);

}  // namespace warpgrade::remoting
