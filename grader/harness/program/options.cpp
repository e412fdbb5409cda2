#include "program/options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

template <class T>
bool parse_number(const std::string& text, T& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

// "a,b"
std::vector<std::string> parse_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) names.push_back(part);
  return names;
}

// "256x128x64"
std::vector<std::int64_t> parse_size(const std::string& text) {
  constexpr std::int64_t largest = std::int64_t{1} << 40;
  std::vector<std::int64_t> size;
  bool good = true;
  const char *at = text.data(), *const end = at + text.size();
  do {
    if (!size.empty()) good = *at++ == 'x';
    const auto [stop, error] = std::from_chars(at, end, size.emplace_back());
    good = good && error == std::errc() && size.back() >= 0 && size.back() <= largest;
    at = stop;
  } while (good && at != end);
  if (good) return size;
  throw UsageError("--sizes needs sizes such as 256x256x128, not '" + text + "'");
}

std::vector<std::vector<std::int64_t>> parse_sizes(const std::string& text) {
  std::vector<std::vector<std::int64_t>> sizes;
  for (const std::string& part : parse_names(text)) sizes.push_back(parse_size(part));
  return sizes;
}

// "1,20,3" after that option: numbers from 1.
template <class T>
std::vector<T> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<T> numbers;
  for (const std::string& part : parse_names(text))
    if (!parse_number(part, numbers.emplace_back()) || numbers.back() < 1)
      throw UsageError(option + " needs numbers from 1, separated by commas, not '" + text + "'");
  return numbers;
}

Mode parse_mode(const std::string& text) {
  if (text == "check") return Mode::check;
  if (text == "time") return Mode::time;
  if (text == "make") return Mode::make;
  if (text == "judge") return Mode::judge;
  if (text == "edits") return Mode::edits;
  if (text == "influence") return Mode::influence;
  throw UsageError("--mode is make, check, judge, time, edits or influence, not '" + text + "'");
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  if (!parse_number(text, seed)) throw UsageError("--seed needs decimal digits, not '" + text + "'");
  return seed;
}

// Short and long names of doctest's options.
constexpr std::string_view doctest_options[] = {"tc",   "test-case",
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

// doctest ignores unknown options, so a misspelt option would go unnoticed without this check.
bool is_doctest_option(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of('-'), argument.size()));
  if (argument.starts_with("dt-")) argument.remove_prefix(3);
  const std::string_view name = argument.substr(0, argument.find('='));
  return std::ranges::find(doctest_options, name) != std::end(doctest_options);
}

void require_complete(const Options& options) {
  const auto need = [](bool given, const char* option) {
    if (!given) throw UsageError(std::string(option) + " is missing");
  };
  if (options.mode == Mode::make) {
    need(!options.cases.empty(), "--cases FILE.json, needed for --mode make,");
    need(!options.out.empty(), "--out DIR, needed for --mode make,");
    return;
  }
  if (options.mode == Mode::judge) {
    need(!options.data.empty(), "--data DIR");
    need(!options.outputs.empty(), "--outputs DIR, needed for --mode judge,");
    need(!options.results.empty(), "--results FILE.jsonl");
    return;
  }
  need(!options.kernel.empty(), "--kernel FILE.fatbin");
  need(!options.kernels.empty(), "--kernels NAME,…");
  need(!options.results.empty(), "--results FILE.jsonl");
  if (options.mode != Mode::time) need(!options.data.empty(), "--data DIR");
  if (options.mode == Mode::influence) {
    need(!options.tried.empty(), "--try CASE, needed for --mode influence,");
    need(options.runs > 0, "--runs NUMBER, needed for --mode influence,");
  }
  if (options.mode == Mode::edits) {
    need(!options.edits.empty(), "--edits NUMBER,…, needed for --mode edits,");
    need(!options.tried.empty(), "--try CASE,…, needed for --mode edits,");
    need(options.steps.size() == options.tried.size(), "--steps NUMBER,…, one for each case of --try,");
  } else if (options.mode == Mode::time) {
    need(!options.reference.empty(), "--reference FILE.fatbin, needed for --mode time,");
    need(!options.sizes.empty(), "--sizes AxB,…, needed for --mode time,");
    for (const auto& size : options.sizes)
      if (size.size() != options.parameters.size())
        throw UsageError("a size of " + std::to_string(size.size()) +
                         " numbers does not fit --parameters, which has " +
                         std::to_string(options.parameters.size()) + " names");
  }
}

// What each option of ours does with its value.
std::map<std::string, std::function<void(const std::string&)>> setters(Options& options) {
  return {
      {"--kernel", [&](const std::string& value) { options.kernel = value; }},
      {"--data", [&](const std::string& value) { options.data = value; }},
      {"--results", [&](const std::string& value) { options.results = value; }},
      {"--turn", [&](const std::string& value) { options.turn = value; }},
      {"--reference", [&](const std::string& value) { options.reference = value; }},
      {"--kernels", [&](const std::string& value) { options.kernels = parse_names(value); }},
      {"--cases", [&](const std::string& value) { options.cases = value; }},
      {"--out", [&](const std::string& value) { options.out = value; }},
      {"--outputs", [&](const std::string& value) { options.outputs = value; }},
      {"--parameters", [&](const std::string& value) { options.parameters = parse_names(value); }},
      {"--values", [&](const std::string& value) { options.values = value; }},
      {"--edits", [&](const std::string& value) { options.edits = parse_numbers<int>("--edits", value); }},
      {"--findings",
       [&](const std::string& value) {
         if (!parse_number(value, options.findings)) throw UsageError("--findings needs a number");
       }},
      {"--runs",
       [&](const std::string& value) {
         if (!parse_number(value, options.runs)) throw UsageError("--runs needs a number");
       }},
      {"--steps",
       [&](const std::string& value) { options.steps = parse_numbers<std::uint64_t>("--steps", value); }},
      {"--try", [&](const std::string& value) { options.tried = parse_names(value); }},
      {"--mode", [&](const std::string& value) { options.mode = parse_mode(value); }},
      {"--sizes", [&](const std::string& value) { options.sizes = parse_sizes(value); }},
      {"--seed", [&](const std::string& value) { options.seed = parse_seed(value); }}};
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  const auto ours = setters(options);
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
  return "Makes the data sets of a lab, checks its kernels on them, judges what a program wrote, or times\n"
         "its kernels.\n"
         "\n"
         "  harness --mode make --cases FILE.json --out DIR\n"
         "  harness --kernel FILE.fatbin --kernels NAME,… --data DIR --results FILE.jsonl "
         "[--subcase=NAME,…]\n"
         "  harness --mode judge --data DIR --outputs DIR --results FILE.jsonl\n"
         "  harness --kernel FILE.fatbin --kernels NAME,… --results FILE.jsonl --mode time --reference "
         "FILE.fatbin --parameters rows,columns --sizes 256x128,… --values zero-mean\n"
         "  harness --kernel FILE.fatbin --kernels NAME,… --data DIR --results FILE.jsonl --mode edits "
         "--edits 1,2,… --try CASE,… --steps NUMBER,… [--findings NUMBER]\n"
         "  harness --kernel FILE.fatbin --kernels NAME,… --data DIR --results FILE.jsonl --mode influence "
         "--try CASE --runs NUMBER\n"
         "\n"
         "  --cases        cases as {\"lab\": …, \"cases\": [{\"name\", \"parameters\", \"values\", "
         "\"seed\"}]}\n"
         "  --out          folder for the data set\n"
         "  --outputs      folder with a folder of .npy files for each case that is to be judged\n"
         "  --kernel       fat binary of the kernels, made with nvcc -fatbin\n"
         "  --kernels      names of the kernels\n"
         "  --data         data set of the lab, made with --mode make\n"
         "  --results      file for the results, one JSON object a line\n"
         "  --turn         file whose lock (flock) is the process's turn on a shared GPU\n"
         "  --reference    fat binary whose time is the yardstick\n"
         "  --parameters   names of the parameters that a size lists\n"
         "  --sizes        sizes to time, such as 1024x1024\n"
         "  --values       kind of the values that are timed\n"
         "  --seed         seed of the values that are timed (1)\n"
         "  --edits        numbers of the edits that are tried, of a kernel that holds many\n"
         "  --try          cases that each edit runs, until one fails\n"
         "  --runs         how often the kernel may run, to see which inputs a wrong element depends on\n"
         "  --steps        warp instructions that a block may run, one number for each of these cases\n"
         "  --findings     that the emulator may report of a case for which an edit passes (0)\n"
         "  --subcase=…    only these cases; all other options of doctest work, too\n"
         "\n"
         "Exit codes: 0 all cases pass, 1 some do not, 2 bad usage or bad data.\n";
}

}  // namespace warpgrade::harness
