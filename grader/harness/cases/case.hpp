// A case: one problem of a lab, as cases.json lists it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "arrays/array.hpp"

namespace warpgrade::harness {

struct Case {
  // The value of a parameter. Throws a DataError if the case has none of that name.
  std::int64_t parameter(const std::string& key) const;

  std::string name;  // letters, digits and '-'; also the name of its folder
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  std::string values;  // the kind of values; the lab defines what it means
  std::uint64_t seed = 0;
  std::vector<Array> arrays;  // without elements; empty before the data set is made
};

struct CaseList {
  std::string lab;
  std::vector<Case> cases;
};

// Throws a DataError that names the file, the case and the key.
CaseList read_cases(const std::filesystem::path& file);

}  // namespace warpgrade::harness
