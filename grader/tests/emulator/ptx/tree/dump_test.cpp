// Golden trees: golden/X.ptx must parse to the text in golden/X.tree. After a change that is meant,
// WARPGRADE_REBASE=1 writes the new trees; then read the difference.
#include "ptx/tree/dump.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/checkout.hpp"

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  return found;
}

}  // namespace

TEST_CASE("ptx: the golden texts parse to their trees") {
  const std::vector<fs::path> texts = files(warpgrade::checkout() / "grader/tests/fixtures/ptx", ".ptx");
  REQUIRE(texts.size() >= 7);
  for (const fs::path& path : texts) {
    CAPTURE(path.filename().string());
    fs::path tree = path;
    tree.replace_extension(".tree");
    const std::string got = warpgrade::ptx::dump(warpgrade::ptx::parse(content(path)));
    if (std::getenv("WARPGRADE_REBASE") != nullptr) std::ofstream(tree, std::ios::binary) << got;
    CHECK(got == content(tree));
  }
}
