#include "options.hpp"

#include <doctest/doctest.h>

#include "errors.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

static Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "harness");
  return parse_options(static_cast<int>(arguments.size()), arguments.data(), "matmul");
}

static std::string complaint(const std::vector<const char*>& arguments) {
  return message_of<UsageError>([&] { parse(arguments); });
}

TEST_CASE("a check needs kernel, data and results; the kernel's name is the lab's") {
  const Options options = parse({"--kernel", "k.fatbin", "--data=d", "--results", "r.jsonl"});
  CHECK(options.kernel == "k.fatbin");
  CHECK(options.data == "d");
  CHECK(options.results == "r.jsonl");
  CHECK(options.kernel_name == "matmul");
  CHECK(options.mode == Mode::check);
  CHECK(contains(complaint({"--data", "d", "--results", "r"}), "--kernel FILE.fatbin is missing"));
  CHECK(contains(complaint({"--kernel", "k", "--results", "r"}), "--data DIR is missing"));
  CHECK(contains(complaint({"--kernel", "k", "--data", "d"}), "--results FILE.jsonl is missing"));
}

TEST_CASE("timing needs a reference and sizes, and no data") {
  const Options options =
      parse({"--kernel", "k", "--results", "r", "--mode", "time", "--reference", "s", "--sizes",
             "256x128x64,1x2x3", "--seed", "18446744073709551615", "--kernel-name", "other"});
  CHECK(options.mode == Mode::time);
  REQUIRE(options.sizes.size() == 2);
  CHECK(options.sizes[0] == std::array<int, 3>{256, 128, 64});
  CHECK(options.sizes[1] == std::array<int, 3>{1, 2, 3});
  CHECK(options.seed == 18446744073709551615u);
  CHECK(options.kernel_name == "other");
  CHECK(contains(complaint({"--kernel", "k", "--results", "r", "--mode", "time", "--sizes", "1x1x1"}),
                 "--reference"));
  CHECK(contains(complaint({"--kernel", "k", "--results", "r", "--mode", "time", "--reference", "s"}),
                 "--sizes"));
}

TEST_CASE("what cannot be followed is said") {
  CHECK(contains(complaint({"--mode", "race"}), "--mode is check or time, not 'race'"));
  CHECK(contains(complaint({"--seed", "-1"}), "--seed needs decimal digits, not '-1'"));
  CHECK(contains(complaint({"--kernel"}), "--kernel needs a value"));
  CHECK(contains(complaint({"--kernle", "k"}), "unknown option --kernle"));
  CHECK(contains(complaint({"surplus"}), "unknown option surplus"));
  for (const char* size : {"", "1x2", "1x2x3x4", "0x1x1", "1x1x32769", "ax1x1", "1x1x1x"})
    CHECK(contains(complaint({"--sizes", size, "--mode", "time"}),
                   *size ? "not '" + std::string(size) + "'" : "missing"));
}

TEST_CASE("options of doctest are handed on as they are") {
  const Options options =
      parse({"--kernel=k", "--data=d", "--results=r", "--subcase=a,b", "-s", "--dt-count"});
  CHECK(options.doctest == std::vector<std::string>{"--subcase=a,b", "-s", "--dt-count"});
}

TEST_CASE("help needs nothing else") {
  CHECK(parse({"--help"}).help);
  CHECK(contains(usage(), "--reference"));
}
