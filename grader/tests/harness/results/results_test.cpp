#include "results/results.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("records are JSON objects, one a line, in the file as soon as they are made") {
  const TemporaryFolder folder;
  Results results(folder / "r");
  results.environment("NVIDIA H200", 13000, 13010);
  CHECK(contents_of(folder / "r") ==
        R"({"record":"environment","emulated":false,"device":"NVIDIA H200","runtime":13000,"driver":13010})"
        "\n");
  results.launch_shape(launch_shape_of("k", {16, 8, 32, 64}));
  results.begin("a");
  results.outcome("a", {});
  results.end();
  const std::string text = contents_of(folder / "r");
  CHECK(contains(
      text,
      R"({"record":"launch_shape","kernel":"k","threads":[16,8],"outputs":[32,64],"blocks":null,"shared":0})"
      "\n"));
  CHECK(contains(text, R"({"record":"begin","case":"a"})"
                       "\n"
                       R"({"record":"case","case":"a","status":"pass","message":"","sticky":false})"
                       "\n"
                       R"({"record":"end"})"
                       "\n"));
}

TEST_CASE("a wrong answer is recorded with all that is known about it") {
  const TemporaryFolder folder;
  Wrong wrong;
  wrong.count = 3;
  wrong.total = 9;
  wrong.array = "C";
  wrong.shape = {3, 3};
  wrong.index = {1, 2};
  wrong.expected.value = 1.5;
  wrong.got.value = 2.25;
  wrong.block = {4, 5};
  wrong.first = {1, 3};
  wrong.last = {2, 4};
  wrong.pattern = "all";
  wrong.explanation = "why";
  wrong.map = {".#"};
  Outcome outcome = Outcome::failure(Status::wrong_answer, "why");
  const auto recorded = [&] {
    outcome.wrong = wrong;
    Results(folder / "r").outcome("a", outcome);
    return contents_of(folder / "r");
  };
  CHECK(contains(
      recorded(),
      R"("wrong":{"array":"C","shape":[3,3],"index":[1,2],"count":3,"total":9,"expected":1.5,"got":2.25,)"
      R"("block":[4,5],"thread":null,"first":[1,3],"last":[2,4],"phase":null,"pattern":"all",)"
      R"("explanation":"why","map":[".#"]})"));
  wrong.thread = {6, 7};
  wrong.phase = 2;
  CHECK(contains(recorded(), R"("thread":[6,7],)"));
  CHECK(contains(recorded(), R"("phase":2,)"));

  wrong.got.value = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(recorded(), R"("got":"NaN")"));
  wrong.got.value = -std::numeric_limits<double>::infinity();
  CHECK(contains(recorded(), R"("got":"-inf")"));
  wrong.never_written = true;
  CHECK(contains(recorded(), R"("got":"never written")"));
}

TEST_CASE("integers are recorded with all of their bits") {
  const TemporaryFolder folder;
  Outcome outcome = Outcome::failure(Status::wrong_answer, "why");
  Wrong wrong;
  wrong.type = ElementType::u64;
  wrong.expected.integer = -1;
  wrong.got.integer = 7;
  outcome.wrong = wrong;
  Results(folder / "r").outcome("a", outcome);
  CHECK(contains(contents_of(folder / "r"), R"("expected":18446744073709551615,"got":7,)"));
}

TEST_CASE("a timing is recorded with its times, or with why there are none") {
  const TemporaryFolder folder;
  Timing timing;
  timing.size = {2, 3, 4};
  timing.student_ms = {2.0};
  timing.reference_ms = {1.0};
  timing.ratio = 0.5;
  Results(folder / "r").time(timing);
  CHECK(contents_of(folder / "r") == R"({"record":"time","size":[2,3,4],"emulated":false,"student_ms":[2.0],)"
                                     R"("reference_ms":[1.0],"ratio":0.5,"settled":false,"checked":"pass"})"
                                     "\n");
  timing.checked = Outcome::failure(Status::stray_write, "beside C");
  Results(folder / "r").time(timing);
  CHECK(contains(contents_of(folder / "r"),
                 R"("ratio":0.5,"settled":false,"checked":"wrong_answer","message":"beside C"})"));

  Timing failed;
  failed.checked = Outcome::failure(Status::cuda_error, "broken");
  Results(folder / "r").time(failed);
  CHECK(contains(contents_of(folder / "r"), R"("student_ms":[],"reference_ms":[],"error":"broken"})"));
}

TEST_CASE("a results file that cannot be written is bad usage") {
  const TemporaryFolder folder;
  CHECK(contains(message_of<UsageError>([&] { Results(folder / "none/r"); }), "cannot write the results to"));
}
