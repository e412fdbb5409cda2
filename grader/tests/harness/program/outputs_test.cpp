#include "program/outputs.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "arrays/npy.hpp"
#include "base/errors.hpp"
#include "cases/dataset_files.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

namespace {

// Twice the number; the case's parameter is how many there are.
void make_doubled(Dataset& data) {
  const View x = data.input<std::int32_t>("x", {data["n"]});
  const View y = data.output<std::int32_t>("y", {data["n"]});
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x(i) = i + 1000;
    y(i) = 2 * x(i).integer();
  }
}

std::optional<Pattern> is_copy(const WrongResult& q) {
  const Array& x = q.data.array("x");
  if (!q.all([&](std::size_t i) { return q.result.at(i).integer == x.at(i).integer; })) return {};
  return of_values("copied", "is x itself");
}

Outcome judge_doubled(const Dataset& data, const HostArrays& results, const Kernels& kernels) {
  return compare(data, results, kernels, is_copy);
}

// A program's case and what it has written.
struct Program {
  Program() {
    std::ofstream(folder / "cases.json")
        << R"({"lab": "l", "cases": [{"name": "few", "parameters": {"n": 8}, "values": "integers", "seed": "1"},)"
        << R"({"name": "not-run", "parameters": {"n": 8}, "values": "integers", "seed": "1"}]})";
    make_datasets(folder / "cases.json", folder / "data", make_doubled);
    std::filesystem::create_directories(folder / "outputs/few");
  }

  template <class Value>
  nlohmann::json judged(Value value) {
    Array y = make_array("y", ElementType::i32, {8}, Role::output);
    for (std::size_t i = 0; i < y.count(); ++i) y.set(i, {0, value(static_cast<std::int64_t>(i))});
    write_npy(folder / "outputs/few/y.npy", y);
    judge_outputs(options(), {.make = make_doubled, .judge = judge_doubled});
    std::ifstream lines(folder / "results.jsonl");
    std::string first, last;
    std::getline(lines, first);
    std::getline(lines, last);
    CHECK(nlohmann::json::parse(last)["record"] == "end");
    return nlohmann::json::parse(first);
  }

  Options options() const {
    Options given;
    given.mode = Mode::judge;
    given.data = folder / "data";
    given.outputs = folder / "outputs";
    given.results = folder / "results.jsonl";
    return given;
  }

  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("outputs of a program are judged without a kernel, by the lab's own function") {
  Program program;
  const auto right = program.judged([](std::int64_t i) { return 2 * (i + 1000); });
  CHECK(right["case"] == "few");
  CHECK(right["status"] == "pass");
  const auto wrong = program.judged([](std::int64_t i) { return i + 1000; });
  CHECK(wrong["status"] == "wrong_answer");
  CHECK(wrong["wrong"]["pattern"] == "copied");
  CHECK(wrong["wrong"]["block"].is_null());
}

TEST_CASE("an output that is missing or of another shape is not the harness's to explain") {
  Program program;
  const auto judge = [&] { judge_outputs(program.options(), {.make = make_doubled}); };
  CHECK(contains(message_of<DataError>(judge), "y.npy"));
  write_npy(program.folder / "outputs/few/y.npy", make_array("y", ElementType::i32, {4}, Role::output));
  CHECK(contains(message_of<DataError>(judge), "y.npy"));
}
