// One run of the program in a process of its own; a back end process serves its calls.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {

// Where the program works. `outputs`: the files that it writes, which are removed first.
struct Workplace {
  std::string folder;
  std::vector<std::string> outputs, arguments;
};

// Other values for an input: the contents of its file, and what its head says.
struct OtherFile {
  std::string content;
  ArrayForm form;
};

struct RunPlan {
  std::string label, program, frontend;
  Workplace place;
  double seconds = 10;                 // limit of wall time
  std::optional<PlannedFailure> fail;  // the call that fails
  bool tracks = true;                  // whether to check that the output came from the device
  std::vector<OtherFile> others;  // for the first arguments: what a twin gets in their place; may be none
  std::vector<ArrayForm> outputs;
  bool counts = false;  // whether to keep the counters of launches
  // The report of the run in which no call failed. The report of this run then holds neither calls nor
  // outputs, but "same_calls" and "same_output", whether they are those of that run.
  const nlohmann::json* like = nullptr;
};

struct RunRecord {
  nlohmann::json report;  // the results as JSON; outputs in base 64, each empty if it was not written
  std::vector<std::string> findings;  // lines of JSON
  std::vector<std::string> counters;  // the same, one for each launch in the order of execution
  bool lost = false;                  // the process that served the program was killed
};

CallPlace call_place(const nlohmann::json& call);  // of a report

// Kills the processes that the program started and left. This process must be their reaper
// (PR_SET_CHILD_SUBREAPER) and have no other children.
void kill_what_is_left();

// Starts both processes and waits until they and all that they started have ended.
RunRecord run_once(const RunPlan& plan);

}  // namespace warpgrade::remoting
