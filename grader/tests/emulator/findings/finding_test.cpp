#include <doctest/doctest.h>

#include <algorithm>

#include "tests/emulator/support/merging.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("each kind has its code, name and help once") {
  std::vector<std::string> codes, names;
  for (int i = 0; i <= static_cast<int>(FindingKind::unsupported_instruction); ++i) {
    const FindingKind kind = static_cast<FindingKind>(i);
    CHECK(std::string(code(kind)).size() == 5);
    CHECK(std::string(help(kind)).ends_with("."));
    CHECK((std::string(severity(kind)) == "error" || std::string(severity(kind)) == "warning"));
    codes.push_back(code(kind));
    names.push_back(name(kind));
  }
  for (std::vector<std::string>* each : {&codes, &names}) {
    std::sort(each->begin(), each->end());
    CHECK(std::adjacent_find(each->begin(), each->end()) == each->end());
  }
}
