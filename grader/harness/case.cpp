#include "case.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "errors.hpp"

namespace warpgrade::harness {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw DataError(file.string() + ": " + what + ".");
}

bool is_name(const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

int size_of(const json& entry, const char* key, const std::filesystem::path& file, const std::string& name) {
  constexpr int largest = 1 << 16;  // such a matrix still has 32-bit indices
  if (!entry.contains(key) || !entry[key].is_number_integer() || entry[key] < 1 || entry[key] > largest)
    refuse(file, "case '" + name + "' needs an integer " + key + " from 1 to " + std::to_string(largest));
  return entry[key].get<int>();
}

Values values_of(const json& entry, const std::filesystem::path& file, const std::string& name) {
  const json kind = entry.value("values", json());
  if (kind == "integers") return Values::integers;
  if (kind == "zero-mean") return Values::zero_mean;
  refuse(file, "case '" + name + "' needs values = \"integers\" or \"zero-mean\"");
}

// A decimal string, since JSON numbers lose bits beyond 2^53 in some readers.
std::uint64_t seed_of(const json& entry, const std::filesystem::path& file, const std::string& name) {
  const json text = entry.value("seed", json());
  std::uint64_t seed = 0;
  if (text.is_string()) {
    const std::string digits = text.get<std::string>();
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, seed);
    if (error == std::errc() && stop == end && !digits.empty()) return seed;
  }
  refuse(file, "case '" + name + "' needs a seed, a string of decimal digits below 2^64");
}

Case case_of(const json& entry, const std::filesystem::path& file) {
  if (!entry.is_object() || !entry.value("name", json()).is_string()) refuse(file, "a case has no name");
  Case one;
  one.name = entry["name"].get<std::string>();
  if (!is_name(one.name)) refuse(file, "case '" + one.name + "': a name has letters, digits and '-' only");
  one.m = size_of(entry, "m", file, one.name);
  one.n = size_of(entry, "n", file, one.name);
  one.k = size_of(entry, "k", file, one.name);
  one.values = values_of(entry, file, one.name);
  one.seed = seed_of(entry, file, one.name);
  return one;
}

}  // namespace

CaseList read_cases(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) refuse(file, "the file is missing. Make the data set with build/datasets/generate");
  const json root = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.value("lab", json()).is_string() || !root.value("cases", json()).is_array())
    refuse(file, R"(expected {"lab": "…", "cases": […]})");

  CaseList list{root["lab"].get<std::string>(), {}};
  std::set<std::string> names;
  for (const json& entry : root["cases"]) {
    list.cases.push_back(case_of(entry, file));
    if (!names.insert(list.cases.back().name).second)
      refuse(file, "two cases are called '" + list.cases.back().name + "'");
  }
  return list;
}

void write_cases(const std::filesystem::path& file, const CaseList& list) {
  json root = {{"lab", list.lab}, {"cases", json::array()}};
  for (const Case& one : list.cases) {
    root["cases"].push_back({{"name", one.name},
                             {"m", one.m},
                             {"n", one.n},
                             {"k", one.k},
                             {"values", one.values == Values::integers ? "integers" : "zero-mean"},
                             {"seed", std::to_string(one.seed)}});
  }
  std::ofstream out(file);
  out << root.dump(1) << '\n';
  out.close();
  if (!out) throw DataError("cannot write " + file.string() + ". Is the disk full, or the folder read-only?");
}

}  // namespace warpgrade::harness
