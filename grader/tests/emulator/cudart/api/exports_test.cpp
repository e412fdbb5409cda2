// Every function that NVIDIA's library exports is exported by ours, under the same version.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/emulator/support/checkout.hpp"

namespace {

namespace fs = std::filesystem;

std::set<std::string> exports(const fs::path& library) {
  std::set<std::string> names;
  std::FILE* pipe = popen(("nm -D --defined-only '" + library.string() + "'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  char kind[8], name[256];
  while (std::fscanf(pipe, "%*s %7s %255s", kind, name) == 2)
    if (kind[0] == 'T' || kind[0] == 'i') names.insert(name);  // i: its address is asked for (ifunc)
  REQUIRE(pclose(pipe) == 0);
  return names;
}

}  // namespace

TEST_CASE("our library has every function of NVIDIA's") {
  const fs::path theirs = warpgrade::checkout() / ".deps/cuda/lib64/libcudart.so.13";
  if (!fs::exists(theirs)) {
    MESSAGE("no libcudart.so.13 in the toolkit: nothing to compare with");
    return;
  }
  const std::set<std::string> ours = exports(warpgrade::checkout() / "build/emulator/libcudart.so.13");
  CHECK(ours.contains("warpgradeLabel@@libcudart.so.13"));
  for (const std::string& name : exports(theirs)) {
    CAPTURE(name);
    CHECK(ours.contains(name));
  }
}
