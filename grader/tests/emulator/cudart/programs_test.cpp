// Runs programs/*.cu, compiled by nvcc as any program is, on the emulator's libcudart.so.13. What each must
// print stands in its first lines (programs/check.hpp).
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/emulator/support/checkout.hpp"
#include "tests/emulator/support/sanitized.hpp"

namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::string output;               // all of standard output
  std::vector<std::string> errors;  // each somewhere on standard error
  std::string environment;          // "A=1 B=2"
  int exit_code = 0;
};

Expectation read(const fs::path& program) {
  Expectation expected;
  std::ifstream in(program);
  for (std::string line; std::getline(in, line);) {
    const std::string kind = line.substr(0, 4), rest = line.size() > 4 ? line.substr(4) : "";
    if (kind == "//= ") expected.output += rest + "\n";
    if (kind == "//! ") expected.errors.push_back(rest);
    if (kind == "//: ") expected.environment += rest + " ";
    if (kind == "//? ") expected.exit_code = std::stoi(rest);
  }
  return expected;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("small programs print what their comments say") {
  // The sanitized builds test the same library from inside; a program is not built with a sanitizer, and
  // keeps what it says in one file.
  if (warpgrade::is_sanitized()) return;
  const fs::path library = warpgrade::checkout() / "build/emulator";
  REQUIRE(fs::exists(library / "libcudart.so.13"));
  int count = 0;
  for (const auto& entry : fs::directory_iterator(warpgrade::checkout() / "grader/tests/fixtures/programs")) {
    if (entry.path().extension() != ".cu") continue;
    const fs::path program = warpgrade::checkout() / "build/tests/programs" / entry.path().stem();
    CAPTURE(program.string());
    REQUIRE(fs::exists(program));
    const Expectation expected = read(entry.path());
    const fs::path errors = program.string() + ".stderr";
    const std::string command = "env -u WARPGRADE_CHECK LD_LIBRARY_PATH='" + library.string() + "' " +
                                expected.environment + "timeout 60 '" + program.string() + "' 2>'" +
                                errors.string() + "'";
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    char part[4096];
    for (std::size_t got; (got = std::fread(part, 1, sizeof part, pipe)) != 0;) output.append(part, got);
    const int status = pclose(pipe);
    const std::string said = contents(errors);
    CAPTURE(said);
    CHECK(output == expected.output);
    CHECK((WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)) == expected.exit_code);
    for (const std::string& each : expected.errors) CHECK(said.find(each) != std::string::npos);
    ++count;
  }
  CHECK(count > 10);
}
