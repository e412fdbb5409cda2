#include "lab.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "base/errors.hpp"
#include "cases/dataset_files.hpp"
#include "device/gpu_turn.hpp"
#include "program/edits.hpp"
#include "program/influence.hpp"
#include "program/options.hpp"
#include "program/outputs.hpp"
#include "program/session.hpp"
#include "program/timer.hpp"

namespace warpgrade::harness {
namespace {

// The session that the test case below runs: doctest passes no arguments to a test case.
Session* session = nullptr;
std::exception_ptr our_fault;  // a DataError: ends the run

TEST_CASE("cases") {
  for (const Case& task : session->cases()) {
    if (session->stuck() || our_fault) break;
    SUBCASE(task.name.c_str()) {
      try {
        const Outcome outcome = session->check(task);
        CHECK_MESSAGE(outcome.status == Status::pass, outcome.message);
      } catch (...) {
        our_fault = std::current_exception();
      }
    }
  }
}

int run_checks(const Options& options, const LabProgram& lab) {
  Session ours(options, lab);
  session = &ours;
  std::vector<const char*> arguments = {"harness"};
  for (const std::string& argument : options.doctest) arguments.push_back(argument.c_str());
  doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
  context.setOption("no-intro", true);
  context.setCout(&std::cerr);  // standard output belongs to the kernel's printf
  context.run();
  if (our_fault) std::rethrow_exception(our_fault);
  return context.shouldExit() ? 0 : ours.finish();
}

}  // namespace

int run_lab(const LabProgram& lab, int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      std::cout << usage();
      return 0;
    }
    if (options.mode == Mode::make) {
      make_datasets(options.cases, options.out, lab.make);
      return 0;
    }
    if (options.mode == Mode::judge) {
      judge_outputs(options, lab);
      return 0;
    }
    if (options.mode == Mode::edits) return run_edits(options, lab);
    if (options.mode == Mode::influence) return run_influence(options, lab);
    GpuTurn::use(options.turn);
    return options.mode == Mode::check ? run_checks(options, lab) : run_timing(options, lab);
  } catch (const UsageError& error) {
    std::cerr << "harness: " << error.what() << ". Type harness --help for the options.\n";
  } catch (const std::exception& error) {
    std::cerr << "harness: " << error.what() << '\n';
  }
  return 2;
}

}  // namespace warpgrade::harness
