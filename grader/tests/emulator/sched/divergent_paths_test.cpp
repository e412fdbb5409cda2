// Divergent control flow and calls, against the same functions on the host.
#include "tests/emulator/support/kernel_stage.hpp"
#include "tests/fixtures/kernels/exec_paths.hpp"

TEST_CASE("lanes take different paths and reconverge") {
  stage::Stage stage("exec_paths");
  stage.grid = {3, 1, 1};
  stage.block = {80, 1, 1};
  for (int n : {0, 3, 11}) {
    compare(stage, "nested", n, [n](int t) { return paths::nested(t, n); });
    compare(stage, "choices", n, [n](int t) { return paths::choices(t, n); });
    compare(stage, "jumps", n, [n](int t) { return paths::jumps(t, n); });
    compare(stage, "short_circuit", n, [n](int t) { return paths::short_circuit(t, n); });
  }
}

TEST_CASE("threads that return early do not disturb the others") {
  stage::Stage stage("exec_paths");
  stage.block = {100, 1, 1};
  compare(stage, "early_exit", 2, [](int t) {
    if (t % 5 == 0) return -1;
    int sum = 0;
    for (int i = 0; i < t; ++i) {
      sum += i * 2;
      if (sum > 2000) return i;
    }
    return sum;
  });
}

TEST_CASE("calls: recursion, structures by value, function pointers, virtual functions") {
  stage::Stage stage("exec_paths");
  stage.block = {70, 1, 1};
  compare(stage, "recursion", 0, [](int t) { return paths::take(4, t, 0); });
  compare(stage, "records", 5, [](int t) { return paths::records(t, 5); });
  int (*const functions[3])(int) = {paths::twice, paths::thrice, paths::minus};
  compare(stage, "pointers", 4, [&](int t) { return functions[(t + 4) % 3](t) + functions[t % 2](4); });
  compare(stage, "virtual_calls", 1, [](int t) { return (t + 1) & 1 ? 3 * t : t * t; });
}

TEST_CASE("a parameter whose address is taken") {
  stage::Stage stage("exec_paths");
  stage.block = {64, 1, 1};
  for (int i = 0; i < 16; ++i) {
    const int word = i * i + 1;
    const auto* bytes = reinterpret_cast<const std::byte*>(&word);
    stage.more_parameters.insert(stage.more_parameters.end(), bytes, bytes + 4);
  }
  compare(stage, "indexed_parameter", 2, [](int t) {
    const int i = (t * 7 + 2) % 16;
    return i * i + 1;
  });
}

TEST_CASE("endless recursion uses up the stack") {
  stage::Stage stage("exec_paths");
  const stage::Ran ran = stage.run("bottomless", 0);
  CHECK(ran.result.status == stage::emulator::LaunchStatus::hardware_stack_error);
  CHECK(ran.found(stage::emulator::FindingKind::stack_overflow) == 1);
}

TEST_CASE("a call through a pointer that is none") {
  stage::Stage stage("exec_paths");
  const stage::Ran ran = stage.run("wild_call", 0);
  CHECK(ran.result.status == stage::emulator::LaunchStatus::invalid_pc);
  REQUIRE(ran.result.findings.size() == 1);
  CHECK(ran.result.findings[0].message.find("0x3039") != std::string::npos);
}
