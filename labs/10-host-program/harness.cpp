// Lab 10, what a case consists of: two arrays that your program reads, and what the third must be.
//
//   harness --mode make --cases CASES.json --out FOLDER
//
// The program itself is yours, so there is no launch here.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "../common/npy.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Values whose mean is zero, of a precision that makes 2x + y exact.
std::vector<float> random_values(std::mt19937_64& random, std::size_t n) {
  constexpr int kSteps = 1 << 20;
  std::vector<float> values(n);
  for (float& each : values)
    each = static_cast<float>(static_cast<std::int64_t>(random() % (2 * kSteps)) - kSteps) / kSteps;
  return values;
}

void make(const Json& given, const fs::path& folder) {
  const Json& parameters = given.contains("parameters") ? given.at("parameters") : given;
  const auto n = parameters.at("n").get<std::size_t>();
  std::mt19937_64 random(std::stoull(given.at("seed").get<std::string>()));
  const std::vector<float> x = random_values(random, n), y = random_values(random, n);
  std::vector<float> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = 2 * x[i] + y[i];
  fs::create_directories(folder);
  write_npy((folder / "x.npy").c_str(), x.data(), n);
  write_npy((folder / "y.npy").c_str(), y.data(), n);
  write_npy((folder / "z.npy").c_str(), z.data(), n);
}

void make_all(const fs::path& cases, const fs::path& folder) {
  Json all = Json::parse(std::ifstream(cases));
  fs::create_directories(folder);
  for (Json& each : all.at("cases")) {
    make(each, folder / each.at("name").get<std::string>());
    each["arrays"] = Json::array();
    for (const char* name : {"x", "y", "z"})
      each["arrays"].push_back({{"name", name}, {"role", *name == 'z' ? "output" : "input"}});
  }
  std::ofstream(folder / "cases.json") << all.dump(1) << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 6 || words[1] != "make" || words[2] != "--cases" || words[4] != "--out") {
    std::fputs("usage: harness --mode make --cases CASES.json --out FOLDER\n", stderr);
    return 2;
  }
  make_all(words[3], words[5]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
