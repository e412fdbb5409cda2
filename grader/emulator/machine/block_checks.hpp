// State of the checks for one resident block. Block::checks points to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "machine/block.hpp"
#include "machine/finding.hpp"

namespace warpgrade::emulator {

class BlockChecks {
 public:
  explicit BlockChecks(std::uint64_t linear) : block(linear) {}

  // Counts a repetition of the finding of this kind and instruction; null if there is none yet.
  // Call it before a finding is built: a loop that races repeats the same one millions of times.
  Finding* again(FindingKind kind, std::uint32_t instruction) {
    for (Finding& each : findings)
      if (each.kind == kind && each.site.instruction == instruction) return ++each.times, &each;
    return nullptr;
  }
  bool has(FindingKind kind, std::uint32_t instruction) const {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& each) {
      return each.kind == kind && each.site.instruction == instruction;
    });
  }
  bool full() const { return findings.size() >= kMost; }
  void add(Finding finding) {
    if (!full()) findings.push_back(std::move(finding));
  }

  // Words of shared memory that raced since the last barrier: an unordered read before the write is reported
  // as a race, and not as an uninitialised read too.
  void raced(std::uint32_t word) {
    if (raced_words.size() < 65536) raced_words.insert(word);
  }

  static constexpr std::size_t kMost = 100;
  const std::uint64_t block;  // linear index
  std::vector<Finding> findings;
  std::unordered_set<std::uint32_t> raced_words;
};

inline BlockChecks& checks_of(const Block& block) { return *block.checks; }

}  // namespace warpgrade::emulator
