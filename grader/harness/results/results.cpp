#include "results/results.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/emulator.hpp"
#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

using json = nlohmann::ordered_json;

json number(ElementType type, const RawNumber& raw) {
  if (type == ElementType::u64) return static_cast<std::uint64_t>(raw.integer);
  if (!is_floating(type)) return raw.integer;
  return raw.value;
}

// JSON has no NaN and no infinity.
json number_or_word(const Wrong& wrong) {
  if (wrong.never_written) return "never written";
  if (std::isnan(wrong.got.value)) return "NaN";
  if (std::isinf(wrong.got.value)) return wrong.got.value > 0 ? "inf" : "-inf";
  return number(wrong.type, wrong.got);
}

template <class Number>
json list_or_null(const std::vector<Number>& numbers) {
  return numbers.empty() ? json() : json(numbers);
}

json to_json(const Wrong& wrong, bool names_kernel) {
  json out = {{"array", wrong.array},
              {"shape", wrong.shape},
              {"index", wrong.index},
              {"count", wrong.count},
              {"total", wrong.total},
              {"expected", number(wrong.type, wrong.expected)},
              {"got", number_or_word(wrong)},
              {"block", list_or_null(wrong.block)},
              {"thread", list_or_null(wrong.thread)},
              {"first", list_or_null(wrong.first)},
              {"last", list_or_null(wrong.last)},
              {"phase", wrong.phase ? json(*wrong.phase) : json()},
              {"pattern", wrong.pattern},
              {"explanation", wrong.explanation},
              {"map", wrong.map}};
  if (wrong.vector > 1) out["vector"] = wrong.vector;
  if (!wrong.axes.empty()) out["axes"] = wrong.axes;
  if (names_kernel && !wrong.kernel.empty()) out["kernel"] = wrong.kernel;
  return out;
}

json in_rank(const std::array<int, 3>& numbers, int rank) {
  return std::vector<int>(numbers.begin(), numbers.begin() + rank);
}

using Test = bool (*)(const Reaction&);
bool is_needed(const Reaction& reaction) { return reaction.needed; }
bool is_used(const Reaction& reaction) { return reaction.used; }
bool is_alike(const Reaction& reaction) { return reaction.needed && reaction.used && reaction.same; }

bool has(const std::vector<Span>& spans, std::int64_t at, std::size_t element, Test test) {
  return std::ranges::any_of(spans, [&](const Span& span) { return test(span.of[element]) && span.has(at); });
}

// The indices along each dimension that act on an element in this way: ranges, each from its first to its
// last. Of what is alike, one of the two ways to divide a dimension shows it.
json parts(const Influence& input, std::size_t element, Test test) {
  json axes = json::array();
  for (std::size_t axis = 0; axis < input.spans.size(); ++axis) {
    const std::vector<Span>&spans = input.spans[axis], &every = input.every[axis];
    json ranges = json::array();
    for (std::int64_t at = 0; at < input.shape[axis]; ++at) {
      const bool in_spans = has(spans, at, element, test);
      const bool in_every = every.empty() ? in_spans : has(every, at, element, test);
      if (test == is_alike ? !in_spans && !in_every : !in_spans || !in_every) continue;
      if (!ranges.empty() && ranges.back()[1] == at - 1)
        ranges.back()[1] = at;
      else
        ranges.push_back({at, at});
    }
    axes.push_back(ranges);
  }
  return axes;
}

json to_json(const Influence& input, std::size_t element, bool has_parts) {
  const Reaction& whole = input.whole[element];
  json weights = json::array();
  if (!input.weights.empty())
    for (const Weight& each : input.weights[element])
      weights.push_back(
          {{"index", each.index}, {"right", each.right}, {"got", each.got}, {"is_steady", each.is_steady}});
  json out = {{"array", input.array},
              {"shape", input.shape},
              {"selects", input.selects},
              {"is_needed", whole.needed},
              {"is_used", whole.used},
              {"is_same", whole.same},
              {"needs", has_parts ? parts(input, element, is_needed) : json::array()},
              {"uses", has_parts ? parts(input, element, is_used) : json::array()},
              {"alike", has_parts ? parts(input, element, is_alike) : json::array()},
              {"weights", weights}};
  if (!input.operations.empty())
    out["operations"] = {{"right", input.operations[element].right}, {"got", input.operations[element].got}};
  if (input.partners.empty() || !input.partners[element]) return out;
  const Partners& partners = *input.partners[element];
  out["partners"] = {
      {"index", partners.index}, {"other", partners.other}, {"right", partners.right}, {"got", partners.got}};
  return out;
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
  ++kernels_;
  line(json{{"record", "launch_shape"},
            {"kernel", shape.kernel},
            {"threads", in_rank(shape.threads, shape.rank)},
            {"outputs", in_rank(shape.outputs, shape.rank)},
            {"blocks", shape.blocks ? json(*shape.blocks) : json()},
            {"shared", shape.shared_bytes}}
           .dump());
}

void Results::edit(int number) { line(json{{"record", "edit"}, {"number", number}}.dump()); }

void Results::begin(const std::string& name) { line(json{{"record", "begin"}, {"case", name}}.dump()); }

void Results::outcome(const std::string& name, const Outcome& outcome) {
  json record{
      {"record", "case"}, {"case", name}, {"status", name_of(outcome.status)}, {"message", outcome.message}};
  if (!outcome.cuda_error.empty()) record["cuda_error"] = outcome.cuda_error;
  if (outcome.wrong) record["wrong"] = to_json(*outcome.wrong, kernels_ > 1);
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

void Results::influence(const std::string& name, const std::vector<Shape>& indices, const Values& values,
                        const InfluenceSearch& search) {
  json list = json::array();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    json of_inputs = json::array();
    for (const Influence& input : search.found())
      of_inputs.push_back(to_json(input, i, search.is_resolved()));
    list.push_back(
        {{"index", indices[i]}, {"right", values.right[i]}, {"got", values.got[i]}, {"inputs", of_inputs}});
  }
  line(json{{"record", "influence"}, {"case", name}, {"elements", list}}.dump());
}

void Results::footprints(const std::string& name, const std::vector<ElementFootprint>& footprints) {
  const auto touched = [](const std::vector<Touched>& elements) {
    json list = json::array();
    for (const Touched& each : elements) list.push_back({{"index", each.index}, {"by", each.by}});
    return list;
  };
  json list = json::array();
  for (const ElementFootprint& each : footprints)
    list.push_back({{"array", each.array},
                    {"index", each.index},
                    {"right", touched(each.right)},
                    {"got", touched(each.got)}});
  line(json{{"record", "footprints"}, {"case", name}, {"footprints", list}}.dump());
}

void Results::end() { line(json{{"record", "end"}}.dump()); }

}  // namespace warpgrade::harness
