#include "cases/case.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

using json = nlohmann::ordered_json;  // parameters keep their order

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw DataError(file.string() + ": " + what + ".");
}

bool is_name(const std::string& name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

std::vector<std::pair<std::string, std::int64_t>> parameters_of(const json& entry,
                                                                const std::filesystem::path& file,
                                                                const std::string& name) {
  const json given = entry.value("parameters", json());
  if (!given.is_object()) refuse(file, "case '" + name + R"(' needs parameters = {"name": integer, …})");
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  for (const auto& [key, value] : given.items()) {
    if (!value.is_number_integer()) refuse(file, "case '" + name + "' needs an integer " + key);
    parameters.emplace_back(key, value.get<std::int64_t>());
  }
  return parameters;
}

std::string values_of(const json& entry, const std::filesystem::path& file, const std::string& name) {
  const json kind = entry.value("values", json(""));
  if (!kind.is_string()) refuse(file, "case '" + name + "' needs a word as its values");
  return kind.get<std::string>();
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

Role role_of(const std::string& name) {
  for (const Role role : {Role::input, Role::output, Role::inout, Role::scratch})
    if (name == name_of(role)) return role;
  throw DataError("'" + name + "' is not a role of an array");
}

// The arrays that the generator listed.
std::vector<Array> arrays_of(const json& entry, const std::filesystem::path& file, const std::string& name) {
  std::vector<Array> arrays;
  try {
    for (const json& array : entry.value("arrays", json::array()))
      arrays.push_back({array.at("name"),
                        type_named(array.at("type")),
                        array.at("shape").get<Shape>(),
                        role_of(array.at("role")),
                        {}});
  } catch (const std::exception& error) {
    refuse(file, "case '" + name + "' has a damaged list of arrays (" + error.what() + ")");
  }
  return arrays;
}

Case case_of(const json& entry, const std::filesystem::path& file) {
  if (!entry.is_object() || !entry.value("name", json()).is_string()) refuse(file, "a case has no name");
  Case one;
  one.name = entry["name"].get<std::string>();
  if (!is_name(one.name)) refuse(file, "case '" + one.name + "': a name has letters, digits and '-' only");
  one.parameters = parameters_of(entry, file, one.name);
  one.values = values_of(entry, file, one.name);
  one.seed = seed_of(entry, file, one.name);
  one.arrays = arrays_of(entry, file, one.name);
  return one;
}

}  // namespace

std::int64_t Case::parameter(const std::string& key) const {
  for (const auto& [name_of_parameter, value] : parameters)
    if (name_of_parameter == key) return value;
  throw DataError("case '" + name + "' has no parameter called " + key);
}

CaseList read_cases(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) refuse(file, "the file is missing. Make the data set with the harness's --mode make");
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

}  // namespace warpgrade::harness
