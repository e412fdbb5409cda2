#include "findings/suppressions.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace warpgrade::emulator;

namespace {

std::vector<Suppression> read(const std::string& text) {
  std::istringstream in(text);
  return read_suppressions(in, "rules");
}

Finding race(const std::string& file, int line, int other_line) {
  Finding finding;
  finding.kind = FindingKind::global_race;
  finding.site.file = finding.other.file = file;
  finding.site.line = line;
  finding.other.line = other_line;
  finding.has_other = true;
  return finding;
}

bool matches(const std::string& rule, const Finding& finding, const std::string& kernel = "_Z4markPii") {
  return read(rule + " for a reason").at(0).matches(finding, kernel);
}

}  // namespace

TEST_CASE("a rule names kind, kernel and place") {
  const Finding found = race("/home/me/bfs.cu", 40, 44);
  for (const char* rule : {"WG114 mark bfs.cu", "global-race * *", "global* ma?k *.cu:40", "* * bfs.cu:44",
                           "WG11? _Z4markPii bfs.cu:41-50", "* mark(int*,?int) *", "* * */me/*:40"})
    CHECK_MESSAGE(matches(rule, found), rule);
  for (const char* rule :
       {"WG112 mark *", "* other *", "* * other.cu", "* * bfs.cu:41-43", "* * me/bfs.cu", "* mar *"})
    CHECK_FALSE_MESSAGE(matches(rule, found), rule);
}

TEST_CASE("a finding of the host has no kernel and may have no place") {
  Finding leak;
  leak.kind = FindingKind::memory_leak;
  leak.on_device = false;
  CHECK(matches("memory-leak * *", leak, ""));
  CHECK_FALSE(matches("memory-leak main *", leak, ""));
  CHECK_FALSE(matches("memory-leak * a.cu", leak, ""));
}

TEST_CASE("a name is matched without return type, template arguments and parameters") {
  CHECK(matches("* tools::scan *", race("a.cu", 1, 1), "_ZN5tools4scanIiEEvPT_i"));
}

TEST_CASE("the error for a line that is no rule has its number and what to write") {
  const auto message = [](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const SuppressionError& error) {
      return error.what();
    }
    return {};
  };
  CHECK(message("# fine\n\nWG114 mark a.cu\n")
            .starts_with("rules:3: a rule has four parts, the last says why; write KIND"));
  CHECK(message("WG999 * * why")
            .starts_with("rules:1: there is no kind of finding 'WG999'; write a code such as WG114"));
  CHECK(message("* * a.cu:x why") ==
        "rules:1: 'x' is no line and no range of lines; write FILE:40 or FILE:40-44");
  CHECK(message("* * a.cu:9-3 why").starts_with("rules:1: '9-3'"));
  CHECK_THROWS_AS(read_suppressions("/nowhere/rules"), SuppressionError);
}
