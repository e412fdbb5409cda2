// What a lab's harness.cpp includes: the parts it is built from, and the program around it.
#pragma once
#include <cuda_runtime_api.h>

#include <iostream>

#include "compare.hpp"
#include "cuda_check.hpp"
#include "device_matrix.hpp"
#include "errors.hpp"
#include "session.hpp"
#include "timer.hpp"

// A lab's harness is one source file, so doctest is implemented here, unless a test has included it before.
#ifndef DOCTEST_LIBRARY_INCLUDED
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

namespace warpgrade::harness {

// What the test case below runs; doctest hands nothing to it.
inline Session* session = nullptr;
inline Multiply multiply_on_device = nullptr;
inline std::exception_ptr our_fault;  // a DataError: ends the run

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

inline int run_checks(const Options& options, Multiply multiply) {
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

// main() of a lab's harness. Returns the exit code: 0 all cases pass, 1 some do not, 2 bad usage or data.
inline int run_lab(const char* kernel_name, Multiply multiply, int argc, char** argv) {
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
#endif
