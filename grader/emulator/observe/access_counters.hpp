// Counts what accesses cost, for each instruction; the launch's totals are their sums.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "observe/counters.hpp"
#include "observe/observers.hpp"

namespace warpgrade::observe {

class AccessCounters {
 public:
  void access(const Access& access);
  Counters take();  // and starts from zero

 private:
  // One instruction's accesses of one kind to one space.
  struct Row {
    std::uint8_t tag = 0;  // space and kind, see tag_of; 0: not used yet
    std::uint64_t executions = 0, lanes = 0, units = 0, ideal_units = 0, bytes = 0;
  };
  Row& row(std::uint32_t instruction, std::uint8_t tag) {
    if (instruction < rows_.size() && rows_[instruction].tag == tag) return rows_[instruction];
    return other_row(instruction, tag);
  }
  Row& other_row(std::uint32_t instruction, std::uint8_t tag);
  static void total(const Row& row, Counters& to);

  std::vector<Row> rows_;  // by Instruction::index
  // Generic instructions that met a second space.
  std::map<std::uint64_t, Row> more_;
};

}  // namespace warpgrade::observe
