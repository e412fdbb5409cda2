// The command line of a lab's harness.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::harness {

enum class Mode { make, check, judge, time, edits, influence };

struct Options {
  std::filesystem::path kernel;      // fat binary with the student's kernel
  std::filesystem::path data;        // folder with cases.json, for Mode::check and Mode::judge
  std::filesystem::path results;     // JSON lines; an existing file is replaced
  std::filesystem::path reference;   // fat binary to compare times with, for Mode::time
  std::filesystem::path cases;       // cases.json without data, for Mode::make
  std::filesystem::path out;         // folder for the data set, for Mode::make
  std::filesystem::path outputs;     // folder of what a program has written, for Mode::judge
  std::filesystem::path turn;        // file whose lock is the process's turn on the GPU; empty: it is alone
  std::vector<std::string> kernels;  // names of the kernels
  Mode mode = Mode::check;
  // Mode::edits only:
  std::vector<int> edits;            // their numbers, in the order in which they are tried
  std::vector<std::string> tried;    // the cases that each edit runs, in this order; of Mode::influence, too
  std::vector<std::uint64_t> steps;  // that a block of each of these cases may run
  int findings = 0;                  // that a case's last launch may have
  int runs = 0;                      // Mode::influence: so often may the kernel run
  // Mode::time only:
  std::vector<std::string> parameters;           // names of the numbers of a size
  std::vector<std::vector<std::int64_t>> sizes;  // one number for each parameter
  std::string values;                            // the kind of values
  std::uint64_t seed = 1;                        // seed of the values
  bool help = false;
  std::vector<std::string> doctest;  // the other arguments
};

// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

// The text that --help prints.
std::string usage();

}  // namespace warpgrade::harness
