#include "program/options.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

static Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "harness");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

static std::string complaint(const std::vector<const char*>& arguments) {
  return message_of<UsageError>([&] { parse(arguments); });
}

TEST_CASE("a check needs a file, the kernels' names, data and results") {
  const Options options =
      parse({"--kernel", "k.fatbin", "--kernels=first,second", "--data=d", "--results", "r.jsonl"});
  CHECK(options.kernel == "k.fatbin");
  CHECK(options.data == "d");
  CHECK(options.results == "r.jsonl");
  CHECK(options.kernels == std::vector<std::string>{"first", "second"});
  CHECK(options.mode == Mode::check);
  CHECK(contains(complaint({"--data", "d", "--results", "r"}), "--kernel FILE.fatbin is missing"));
  CHECK(
      contains(complaint({"--kernel", "k", "--data", "d", "--results", "r"}), "--kernels NAME,… is missing"));
  CHECK(contains(complaint({"--kernel", "k", "--kernels", "x", "--results", "r"}), "--data DIR is missing"));
  CHECK(contains(complaint({"--kernel", "k", "--kernels", "x", "--data", "d"}),
                 "--results FILE.jsonl is missing"));
}

TEST_CASE("timing needs a reference and sizes, and no data") {
  const Options options = parse({"--kernel", "k", "--results", "r", "--mode", "time", "--reference", "s",
                                 "--sizes", "256x128x64,1x2x3", "--seed", "18446744073709551615", "--kernels",
                                 "other", "--parameters", "m,n,k", "--values", "zero-mean"});
  CHECK(options.mode == Mode::time);
  REQUIRE(options.sizes.size() == 2);
  CHECK(options.sizes[0] == std::vector<std::int64_t>{256, 128, 64});
  CHECK(options.sizes[1] == std::vector<std::int64_t>{1, 2, 3});
  CHECK(options.seed == 18446744073709551615u);
  CHECK(options.values == "zero-mean");
  CHECK(contains(
      complaint({"--kernel", "k", "--results", "r", "--kernels", "x", "--mode", "time", "--sizes", "1x1x1"}),
      "--reference"));
  CHECK(contains(
      complaint({"--kernel", "k", "--results", "r", "--kernels", "x", "--mode", "time", "--reference", "s"}),
      "--sizes"));
}

TEST_CASE("the influence of inputs is asked for one case, with so many runs") {
  const std::vector<const char*> given = {"--kernel", "k",      "--kernels", "x",     "--results",
                                          "r",        "--mode", "influence", "--try", "small"};
  std::vector<const char*> all = given;
  all.insert(all.end(), {"--data", "d", "--runs", "400"});
  const Options options = parse(all);
  CHECK(options.mode == Mode::influence);
  CHECK(options.tried == std::vector<std::string>{"small"});
  CHECK(options.runs == 400);
  CHECK(contains(complaint(given), "--data DIR is missing"));
  all.resize(all.size() - 2);
  CHECK(contains(complaint(all), "--runs NUMBER, needed for --mode influence, is missing"));
}

TEST_CASE("what cannot be followed is said") {
  CHECK(contains(complaint({"--mode", "race"}),
                 "--mode is make, check, judge, time, edits or influence, not 'race'"));
  CHECK(contains(complaint({"--seed", "-1"}), "--seed needs decimal digits, not '-1'"));
  CHECK(contains(complaint({"--kernel"}), "--kernel needs a value"));
  CHECK(contains(complaint({"--kernle", "k"}), "unknown option --kernle"));
  CHECK(contains(complaint({"surplus"}), "unknown option surplus"));
  for (const char* size : {"-1x1x1", "ax1x1", "1x1x1x", "9999999999999x1"})
    CHECK(contains(complaint({"--sizes", size, "--mode", "time"}), "not '" + std::string(size) + "'"));
  for (const char* size : {"", "1x2", "1x2x3x4"})
    CHECK(contains(complaint({"--kernel", "k", "--kernels", "x", "--results", "r", "--reference", "s",
                              "--sizes", size, "--mode", "time", "--parameters", "m,n,k"}),
                   *size ? "does not fit --parameters, which has 3 names" : "missing"));
}

TEST_CASE("making data needs cases and a folder") {
  const Options options = parse({"--mode", "make", "--cases", "c.json", "--out", "d"});
  CHECK(options.mode == Mode::make);
  CHECK(options.cases == "c.json");
  CHECK(options.out == "d");
  CHECK(contains(complaint({"--mode", "make", "--out", "d"}), "--cases"));
  CHECK(contains(complaint({"--mode", "make", "--cases", "c"}), "--out"));
}

TEST_CASE("judging what a program wrote needs data, outputs and results, and no kernel") {
  const Options options = parse({"--mode", "judge", "--data", "d", "--outputs", "o", "--results", "r"});
  CHECK(options.mode == Mode::judge);
  CHECK(options.outputs == "o");
  CHECK(contains(complaint({"--mode", "judge", "--outputs", "o", "--results", "r"}), "--data"));
  CHECK(contains(complaint({"--mode", "judge", "--data", "d", "--results", "r"}), "--outputs"));
  CHECK(contains(complaint({"--mode", "judge", "--data", "d", "--outputs", "o"}), "--results"));
}

TEST_CASE("options of doctest are handed on as they are") {
  const Options options =
      parse({"--kernel=k", "--kernels=x", "--data=d", "--results=r", "--subcase=a,b", "-s", "--dt-count"});
  CHECK(options.doctest == std::vector<std::string>{"--subcase=a,b", "-s", "--dt-count"});
}

TEST_CASE("help needs nothing else") {
  CHECK(parse({"--help"}).help);
  CHECK(contains(usage(), "--reference"));
}

TEST_CASE("edits need their numbers and cases to try") {
  const std::vector<const char*> common = {"--mode", "edits",     "--kernel", "k",      "--kernels",
                                           "x",      "--results", "r",        "--data", "d"};
  const auto with = [&](std::vector<const char*> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  const Options options =
      parse(with({"--edits", "3,1,20", "--try", "b,a", "--steps", "7,8", "--findings", "2"}));
  CHECK(options.mode == Mode::edits);
  CHECK(options.edits == std::vector<int>{3, 1, 20});
  CHECK(options.tried == std::vector<std::string>{"b", "a"});
  CHECK(options.steps == std::vector<std::uint64_t>{7, 8});
  CHECK(options.findings == 2);
  CHECK(contains(complaint(with({"--edits", "1", "--try", "a,b", "--steps", "7"})),
                 "one for each case of --try"));
  CHECK(contains(complaint(with({"--try", "a"})), "--edits NUMBER,…, needed for --mode edits, is missing"));
  CHECK(contains(complaint(with({"--edits", "1"})), "--try CASE,…, needed for --mode edits, is missing"));
  for (const char* numbers : {"0", "x", "1.5", "-3", "1,,2"})
    CHECK(contains(complaint(with({"--edits", numbers})), "not '" + std::string(numbers) + "'"));
  CHECK(contains(complaint(with({"--findings", "many"})), "--findings needs a number"));
}
