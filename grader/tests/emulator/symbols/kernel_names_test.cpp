// The names that people may give a kernel.
#include "symbols/kernel_names.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

namespace {

const std::vector<std::string> kKernels = {
    "_ZN5tools4scanIiEEvPi",           // tools::scan<int>(int*)
    "_ZN5tools4scanIfEEvPf",           // tools::scan<float>(float*)
    "_Z4fillPii",                      // fill(int*, int)
    "_Z4fillPfi",                      // fill(float*, int)
    "_ZN12_GLOBAL__N_16hiddenEPi",     // (anonymous namespace)::hidden(int*)
    "_Z5tiledILi16ELb1EEvPKf",         // tiled<16, true>(float const*)
    "_Z6nestedISt4pairIiN1a1bEEEvT_",  // nested<std::pair<int, a::b> >(std::pair<int, a::b>)
    "d",                               // extern "C"
};

std::vector<std::string> called(const char* text) {
  std::vector<std::string> out;
  for (const KernelNames& each : kernels_called(text, kKernels)) out.push_back(each.mangled);
  return out;
}

}  // namespace

TEST_CASE("a kernel has its names without parameters, and without arguments of a template") {
  const KernelNames names = names_of_kernel("_ZN5tools4scanIiEEvPi");
  CHECK(names.signature == "tools::scan<int>(int*)");
  CHECK(names.plain == "tools::scan<int>");
  CHECK(names.bare == "tools::scan");
  CHECK(names_of_kernel("d").plain == "d");  // not "double"
  CHECK(names_of_kernel("_ZN12_GLOBAL__N_16hiddenEPi").plain == "(anonymous namespace)::hidden");
}

TEST_CASE("one kernel is found by each of its names") {
  using Names = std::vector<std::string>;
  for (const char* text : {"scan<int>", "tools::scan<int>", "tools::scan<int>(int*)", "scan<int>(int*)",
                           "_ZN5tools4scanIiEEvPi"}) {
    CAPTURE(text);
    CHECK(called(text) == Names{"_ZN5tools4scanIiEEvPi"});
  }
  for (const char* text : {"fill(int*,int)", "fill(int*, int)"}) CHECK(called(text) == Names{"_Z4fillPii"});
  for (const char* text : {"tiled", "tiled<16,true>", "tiled<16, true>"})
    CHECK(called(text) == Names{"_Z5tiledILi16ELb1EEvPKf"});
  for (const char* text : {"nested", "nested<std::pair<int,a::b>>"})
    CHECK(called(text) == Names{"_Z6nestedISt4pairIiN1a1bEEEvT_"});
  CHECK(called("hidden") == Names{"_ZN12_GLOBAL__N_16hiddenEPi"});
  CHECK(called("d") == Names{"d"});
}

TEST_CASE("a name of several kernels finds them all, and a part of a name none") {
  CHECK(called("scan").size() == 2);
  CHECK(called("tools::scan").size() == 2);
  CHECK(called("fill").size() == 2);
  for (const char* text : {"sca", "can", "scan<", "tools", "double", "scan<double>"}) {
    CAPTURE(text);
    CHECK(called(text).empty());
  }
}
