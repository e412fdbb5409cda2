#include "isa/variant.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "isa/processor.hpp"

using namespace warpgrade;

namespace {

// Sets an environment variable for a scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

}  // namespace

TEST_CASE("the environment names the variant; the plain one runs everywhere") {
  const Environment environment("WARPGRADE_LANES", "v1");
  CHECK(std::string_view(isa::chosen_variant().name) == "v1");
}

TEST_CASE("without a word, the fastest that runs here") {
  const Environment environment("WARPGRADE_LANES", "");
  const isa::LaneVariant* fastest = nullptr;
  for (const auto& variant : isa::variants()) {
    if (variant.runs_here) fastest = &variant;
  }
  CHECK(&isa::chosen_variant() == fastest);
}

TEST_CASE("an unknown variant is an error that says what to do") {
  const Environment environment("WARPGRADE_LANES", "v9");
  CHECK_THROWS_WITH(
      isa::chosen_variant(),
      "WARPGRADE_LANES=v9: not built, or unknown; leave it unset, or type `make tools LEVELS=all`");
}

TEST_CASE("a processor that runs a level of x86-64 runs those below it") {
  CHECK(isa::processor_runs("v1"));
  CHECK(isa::processor_runs("v3") >= isa::processor_runs("v4"));
  CHECK_FALSE(isa::processor_runs("v9"));
}

TEST_CASE("all variants have the same rows; handlers are a variant's own, but for the rare tables") {
  const auto variants = isa::variants();
  for (const auto& variant : variants) {
    REQUIRE(variant.tables.size() == variants[0].tables.size());
    for (std::size_t t = 0; t < variant.tables.size(); ++t) {
      const isa::Rows mine = variant.tables[t], plain = variants[0].tables[t];
      REQUIRE(mine.count == plain.count);
      const bool own = t < 11;
      CHECK((own && &variant != &variants[0]) == (mine.first != plain.first));
      for (std::size_t i = 0; i < mine.count; ++i) {
        CHECK(std::string_view(mine.first[i].form) == plain.first[i].form);
        CHECK(mine.first[i].operands == plain.first[i].operands);
        CHECK((mine.first == plain.first) == (mine.first[i].handler == plain.first[i].handler));
      }
    }
  }
}
