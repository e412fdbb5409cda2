// Findings that a person has judged to be harmless, as valgrind's and ThreadSanitizer's suppressions.
//
// One rule a line; lines that begin with # are comments:
//
//   KIND  FUNCTION  FILE[:LINE[-LINE]]  REASON
//   WG113 mark*     bfs.cu:40-44        every thread writes the same level
//
// KIND: a code or name of finding_kinds.def. FUNCTION: a kernel, by its name, with or without parameters, or
// mangled. FILE: with a / in it the whole path, else the file's name. In each, * stands for any characters
// and ? for one; * alone also matches an empty field, such as the kernel of a host-side finding.
#pragma once

#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "machine/finding.hpp"

namespace warpgrade::emulator {

struct Suppression {
  std::string kind, function, file;
  int first = 0, last = 0;  // lines; 0: any
  std::string reason;
  std::string place;                      // "FILE:3", where the rule was read
  std::uint64_t findings = 0, times = 0;  // suppressed so far, and how often these were seen

  bool matches(const Finding& finding, const std::string& kernel) const;
};

// A line that is no rule. The text says the file, the line and what to write.
struct SuppressionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throw SuppressionError. `name`: of the file, for messages.
std::vector<Suppression> read_suppressions(std::istream& in, const std::string& name);
std::vector<Suppression> read_suppressions(const std::string& path);

// "warpgrade: 12 findings (seen 400 times) are suppressed by FILE:3: REASON".
std::string to_text(const Suppression& used);
std::string to_json(const Suppression& used);

}  // namespace warpgrade::emulator
