#include "cases/dataset_files.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "arrays/npy.hpp"

namespace warpgrade::harness {
namespace {

using json = nlohmann::ordered_json;

Array tolerance_array(const Expected& expected) {
  return make_array("tolerance", ElementType::f64, expected.values.shape, Role::input);
}

std::string expected_file(const Array& array) {
  return array.name + (array.role == Role::inout ? ".expected.npy" : ".npy");
}

json description(const Array& array) {
  return {{"name", array.name},
          {"type", name_of(array.type)},
          {"shape", array.shape},
          {"role", name_of(array.role)}};
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text << '\n';
  out.close();
  if (!out) throw DataError("cannot write " + file.string() + ". Is the disk full, or the folder read-only?");
}

}  // namespace

void save_dataset(const std::filesystem::path& folder, const Dataset& data) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw DataError("cannot make the folder " + folder.string() + ": " + problem.message());
  for (const Array& array : data.arrays()) {
    if (array.role == Role::scratch) continue;
    if (array.role != Role::output) write_npy(folder / (array.name + ".npy"), array);
    if (array.role == Role::input) continue;
    Expected expected = data.expected(array.name);
    expected.values.bytes.resize(expected.values.count() * size_of(expected.values.type));
    write_npy(folder / expected_file(array), expected.values);
    if (expected.tolerance.empty()) continue;
    Array tolerance = tolerance_array(expected);
    std::copy(expected.tolerance.begin(), expected.tolerance.end(), tolerance.data<double>());
    write_npy(folder / (array.name + ".tolerance.npy"), tolerance);
  }
}

Dataset load_dataset(const std::filesystem::path& folder, const Case& task) {
  Dataset data(task);
  for (const Array& description : task.arrays) {
    Array array = make_array(description.name, description.type, description.shape, description.role);
    const bool has_values = array.role == Role::input || array.role == Role::inout;
    if (has_values) read_npy(folder / (array.name + ".npy"), array);
    data.add(array);
    if (array.role == Role::input || array.role == Role::scratch) continue;
    Expected& expected = data.expected(array.name);
    read_npy(folder / expected_file(array), expected.values);
    const std::filesystem::path file = folder / (array.name + ".tolerance.npy");
    if (!std::filesystem::exists(file)) continue;
    Array tolerance = tolerance_array(expected);
    read_npy(file, tolerance);
    const double* values = tolerance.data<double>();
    expected.tolerance.assign(values, values + tolerance.count());
  }
  return data;
}

void make_datasets(const std::filesystem::path& cases, const std::filesystem::path& folder,
                   void (*make)(Dataset&)) {
  const CaseList list = read_cases(cases);
  json root = {{"lab", list.lab}, {"cases", json::array()}};
  for (const Case& task : list.cases) {
    Dataset data(task);
    make(data);
    save_dataset(folder / task.name, data);
    json parameters = json::object();
    for (const auto& [key, value] : task.parameters) parameters[key] = value;
    json arrays = json::array();
    for (const Array& array : data.arrays()) arrays.push_back(description(array));
    root["cases"].push_back({{"name", task.name},
                             {"parameters", parameters},
                             {"values", task.values},
                             {"seed", std::to_string(task.seed)},
                             {"arrays", arrays}});
  }
  std::filesystem::create_directories(folder);
  write_text(folder / "cases.json", root.dump(1));
}

}  // namespace warpgrade::harness
