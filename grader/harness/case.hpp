// A case: one matrix multiplication of a lab, as cases.json lists it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "random_values.hpp"

namespace warpgrade::harness {

struct Case {
  std::string name;  // letters, digits and '-'; also the name of its folder
  int m = 0;         // A is m×k, B is k×n, C is m×n
  int n = 0;
  int k = 0;
  Values values = Values::integers;
  std::uint64_t seed = 0;
};

struct CaseList {
  std::string lab;
  std::vector<Case> cases;
};

// Throws a DataError that names the file, the case and the key.
CaseList read_cases(const std::filesystem::path& file);
void write_cases(const std::filesystem::path& file, const CaseList& list);

}  // namespace warpgrade::harness
