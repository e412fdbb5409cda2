// Counts the cost of accesses for each instruction; the launch's totals are the sums.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

#include "machine/counters/access_counts.hpp"
#include "machine/counters/counters.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class AccessCounters {
 public:
  explicit AccessCounters(const Program& program);
  void access(const Access& access);
  // Asynchronous copies. cp.async is counted as a load when it reads, and as a copy when it is issued. For a
  // bulk copy, which bypasses the load-store unit, the number of issues and the bytes that it reads from
  // global memory are counted.
  void copy_issued(const CopyIssue& copy);
  void bulk_copy_issued(const DecodedInstruction* at, unsigned bytes);
  Counters take() const;
  AccessRow* rows() { return rows_.get(); }  // indexed by DecodedInstruction::index

 private:
  AccessRow& row(std::uint32_t instruction, std::uint8_t tag, unsigned bytes);

  struct Free {
    void operator()(AccessRow* rows) const { std::free(rows); }
  };
  const Program* program_;
  std::uint32_t count_;
  std::uint64_t bulk_bytes_ = 0;
  // Zeroed when they are first touched: a launch runs few of a large module's instructions.
  std::unique_ptr<AccessRow[], Free> rows_;
  // Rows of instructions with generic addresses that accessed a second space.
  std::map<std::uint64_t, AccessRow> more_;
};

}  // namespace warpgrade::emulator
