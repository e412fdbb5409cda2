// The command line of a lab's harness.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::harness {

enum class Mode { check, time };

struct Options {
  std::filesystem::path kernel;     // fat binary with the student's kernel
  std::filesystem::path data;       // folder with cases.json, for Mode::check
  std::filesystem::path results;    // JSON lines; an existing file is replaced
  std::filesystem::path reference;  // fat binary to compare times with, for Mode::time
  std::string kernel_name;
  Mode mode = Mode::check;
  std::vector<std::array<int, 3>> sizes;  // m, n, k, for Mode::time
  std::uint64_t seed = 1;                 // of the values in Mode::time
  bool help = false;
  std::vector<std::string> doctest;  // the other arguments
};

// Throws UsageError.
Options parse_options(int argc, const char* const* argv, const std::string& kernel_name);

// What --help prints.
std::string usage();

}  // namespace warpgrade::harness
