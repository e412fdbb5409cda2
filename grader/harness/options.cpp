#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>

#include "errors.hpp"

namespace warpgrade::harness {
namespace {

template <class T>
bool parse_number(const std::string& text, T& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

// "256x128x64": m×n×k.
std::array<int, 3> parse_size(const std::string& text) {
  constexpr int largest = 1 << 15;  // the product of two fits a 32-bit index
  std::array<int, 3> size{};
  bool good = true;
  const char *at = text.data(), *const end = at + text.size();
  for (std::size_t i = 0; good && i < size.size(); ++i) {
    if (i > 0) good = at != end && *at++ == 'x';
    const auto [stop, error] = std::from_chars(at, end, size[i]);
    good = good && error == std::errc() && size[i] >= 1 && size[i] <= largest;
    at = stop;
  }
  good = good && at == end;
  if (good) return size;
  throw UsageError("--sizes needs sizes m×n×k such as 256x256x128, each number from 1 to " +
                   std::to_string(largest) + ", not '" + text + "'");
}

std::vector<std::array<int, 3>> parse_sizes(const std::string& text) {
  std::vector<std::array<int, 3>> sizes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) sizes.push_back(parse_size(part));
  return sizes;
}

Mode parse_mode(const std::string& text) {
  if (text == "check") return Mode::check;
  if (text == "time") return Mode::time;
  throw UsageError("--mode is check or time, not '" + text + "'");
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  if (!parse_number(text, seed)) throw UsageError("--seed needs decimal digits, not '" + text + "'");
  return seed;
}

// doctest ignores unknown options, so a misspelt option would go unnoticed without this check.
bool is_doctest_option(std::string_view argument) {
  static constexpr std::string_view names[] = {"tc",   "test-case",
                                               "tce",  "test-case-exclude",
                                               "sf",   "source-file",
                                               "sfe",  "source-file-exclude",
                                               "ts",   "test-suite",
                                               "tse",  "test-suite-exclude",
                                               "sc",   "subcase",
                                               "sce",  "subcase-exclude",
                                               "c",    "count",
                                               "ltc",  "list-test-cases",
                                               "lts",  "list-test-suites",
                                               "lr",   "list-reporters",
                                               "r",    "reporters",
                                               "o",    "out",
                                               "ob",   "order-by",
                                               "rs",   "rand-seed",
                                               "f",    "first",
                                               "l",    "last",
                                               "aa",   "abort-after",
                                               "scfl", "subcase-filter-levels",
                                               "s",    "success",
                                               "cs",   "case-sensitive",
                                               "e",    "exit",
                                               "d",    "duration",
                                               "m",    "minimal",
                                               "q",    "quiet",
                                               "nt",   "no-throw",
                                               "ne",   "no-exitcode",
                                               "nr",   "no-run",
                                               "ni",   "no-intro",
                                               "nv",   "no-version",
                                               "nc",   "no-colors",
                                               "fc",   "force-colors",
                                               "nb",   "no-breaks",
                                               "ns",   "no-skip",
                                               "gfl",  "gnu-file-line",
                                               "npf",  "no-path-filenames",
                                               "nln",  "no-line-numbers",
                                               "ndo",  "no-debug-output",
                                               "v",    "version"};
  argument.remove_prefix(std::min(argument.find_first_not_of('-'), argument.size()));
  if (argument.starts_with("dt-")) argument.remove_prefix(3);
  const std::string_view name = argument.substr(0, argument.find('='));
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void require_complete(const Options& options) {
  const auto need = [](bool given, const char* option) {
    if (!given) throw UsageError(std::string(option) + " is missing");
  };
  need(!options.kernel.empty(), "--kernel FILE.fatbin");
  need(!options.results.empty(), "--results FILE.jsonl");
  if (options.mode == Mode::check) {
    need(!options.data.empty(), "--data DIR");
  } else {
    need(!options.reference.empty(), "--reference FILE.fatbin, needed for --mode time,");
    need(!options.sizes.empty(), "--sizes MxNxK, needed for --mode time,");
  }
}

}  // namespace

Options parse_options(int argc, const char* const* argv, const std::string& kernel_name) {
  Options options;
  options.kernel_name = kernel_name;
  const std::map<std::string, std::function<void(const std::string&)>> ours = {
      {"--kernel", [&](const std::string& value) { options.kernel = value; }},
      {"--data", [&](const std::string& value) { options.data = value; }},
      {"--results", [&](const std::string& value) { options.results = value; }},
      {"--reference", [&](const std::string& value) { options.reference = value; }},
      {"--kernel-name", [&](const std::string& value) { options.kernel_name = value; }},
      {"--mode", [&](const std::string& value) { options.mode = parse_mode(value); }},
      {"--sizes", [&](const std::string& value) { options.sizes = parse_sizes(value); }},
      {"--seed", [&](const std::string& value) { options.seed = parse_seed(value); }}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const auto option = ours.find(argument.substr(0, equals));
    if (option != ours.end()) {
      if (equals == std::string::npos && i + 1 == argc) throw UsageError(argument + " needs a value");
      option->second(equals != std::string::npos ? argument.substr(equals + 1) : argv[++i]);
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (is_doctest_option(argument)) {
      options.doctest.push_back(argument);
    } else {
      throw UsageError("unknown option " + argument);
    }
  }
  if (!options.help) require_complete(options);
  return options;
}

std::string usage() {
  return "Checks or times one kernel of a lab.\n"
         "\n"
         "  harness --kernel FILE.fatbin --data DIR --results FILE.jsonl [--subcase=NAME,…]\n"
         "  harness --kernel FILE.fatbin --results FILE.jsonl --mode time --reference FILE.fatbin --sizes "
         "MxNxK,…\n"
         "\n"
         "  --kernel       fat binary of the kernel, made with nvcc -fatbin\n"
         "  --data         data set of the lab, made with build/datasets/generate\n"
         "  --results      file for the results, one JSON object a line\n"
         "  --reference    fat binary whose time is the yardstick\n"
         "  --sizes        sizes m×n×k to time, such as 1024x1024x1024\n"
         "  --seed         seed of the values that are timed (1)\n"
         "  --kernel-name  another name for the kernel than the lab's\n"
         "  --subcase=…    only these cases; all other options of doctest work, too\n"
         "\n"
         "Exit codes: 0 all cases pass, 1 some do not, 2 bad usage or bad data.\n";
}

}  // namespace warpgrade::harness
