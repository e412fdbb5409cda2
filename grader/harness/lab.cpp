#include "lab.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

#include "errors.hpp"
#include "options.hpp"
#include "timer.hpp"

namespace warpgrade::harness {
namespace {

// What the test case below runs: doctest passes no arguments to it.
Session* session = nullptr;
Multiply multiply_on_device = nullptr;
std::exception_ptr our_fault;  // a DataError: ends the run

TEST_CASE("C = A * B") {
  for (const Case& task : session->cases()) {
    if (session->stuck() || our_fault) break;
    SUBCASE(task.name.c_str()) {
      try {
        const Outcome outcome = session->check(task, multiply_on_device);
        CHECK_MESSAGE(outcome.status == Status::pass, outcome.message);
      } catch (...) {
        our_fault = std::current_exception();
      }
    }
  }
}

int run_checks(const Options& options, Multiply multiply) {
  Session ours(options);
  session = &ours;
  multiply_on_device = multiply;
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

int run_lab(const char* kernel_name, Multiply multiply, int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv, kernel_name);
    if (options.help) {
      std::cout << usage();
      return 0;
    }
    return options.mode == Mode::check ? run_checks(options, multiply) : run_timing(options);
  } catch (const UsageError& error) {
    std::cerr << "harness: " << error.what() << ". Type harness --help for the options.\n";
  } catch (const std::exception& error) {
    std::cerr << "harness: " << error.what() << '\n';
  }
  return 2;
}

}  // namespace warpgrade::harness
