#include "results.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "emulator.hpp"
#include "errors.hpp"

namespace warpgrade::harness {
namespace {

using json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
json number_or_word(const Wrong& wrong) {
  if (wrong.never_written) return "never written";
  if (std::isnan(wrong.got)) return "NaN";
  if (std::isinf(wrong.got)) return wrong.got > 0 ? "inf" : "-inf";
  return wrong.got;
}

json to_json(const Wrong& wrong) {
  return {{"count", wrong.count},
          {"total", wrong.total},
          {"row", wrong.row},
          {"column", wrong.column},
          {"expected", wrong.expected},
          {"got", number_or_word(wrong)},
          {"block", wrong.block},
          {"thread", wrong.thread ? json(*wrong.thread) : json()},
          {"tile", wrong.tile},
          {"phase", wrong.phase ? json(*wrong.phase) : json()},
          {"pattern", wrong.pattern},
          {"explanation", wrong.explanation},
          {"map", wrong.map}};
}

}  // namespace

Results::Results(const std::filesystem::path& file) : file_(file) {
  if (!file_) throw UsageError("cannot write the results to " + file.string());
}

void Results::line(const std::string& json) {
  file_ << json << std::endl;
  if (!file_) throw DataError("cannot write to the results file. Is the disk full?");
}

void Results::environment(const std::string& device, int runtime, int driver) {
  line(json{{"record", "environment"},
            {"emulated", emulator::present()},
            {"device", device},
            {"runtime", runtime},
            {"driver", driver}}
           .dump());
}

void Results::launch_shape(const LaunchShape& shape) {
  line(json{{"record", "launch_shape"},
            {"threads", {shape.threads_x, shape.threads_y}},
            {"outputs", {shape.columns, shape.rows}}}
           .dump());
}

void Results::begin(const std::string& name) { line(json{{"record", "begin"}, {"case", name}}.dump()); }

void Results::outcome(const std::string& name, const Outcome& outcome) {
  json record{
      {"record", "case"}, {"case", name}, {"status", name_of(outcome.status)}, {"message", outcome.message}};
  if (!outcome.cuda_error.empty()) record["cuda_error"] = outcome.cuda_error;
  if (outcome.wrong) record["wrong"] = to_json(*outcome.wrong);
  record["sticky"] = outcome.sticky;
  line(record.dump());
}

void Results::time(const Timing& timing) {
  const bool pass = timing.checked.status == Status::pass;
  const bool timed = !timing.student_ms.empty();
  json record{{"record", "time"},
              {"size", timing.size},
              {"emulated", emulator::present()},
              {"student_ms", timing.student_ms},
              {"reference_ms", timing.reference_ms}};
  if (timed) record.update({{"ratio", timing.ratio}, {"settled", timing.settled}});
  if (timed) record["checked"] = pass ? "pass" : "wrong_answer";
  if (!pass) record[timed ? "message" : "error"] = timing.checked.message;
  line(record.dump());
}

void Results::end() { line(json{{"record", "end"}}.dump()); }

}  // namespace warpgrade::harness
