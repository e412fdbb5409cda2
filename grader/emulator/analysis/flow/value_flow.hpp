// Which instructions of a function write and read each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// A value is a register, a parameter of a call or, in -G builds, a variable on the stack (`%SP` + offset).
// Each has a number: registers first, then the others in the order in which they are met.
class ValueFlow {
 public:
  struct Step {
    std::vector<std::int32_t> read, written;
    bool copies = false;  // moves an integer or a variable unchanged
  };

  explicit ValueFlow(const ptx::Function& function);

  std::size_t values() const { return values_; }
  const std::vector<Step>& steps() const { return steps_; }  // indexed by instruction
  const std::vector<std::size_t>& writers(std::int32_t value) const { return writers_[at(value)]; }
  const std::vector<std::size_t>& readers(std::int32_t value) const { return readers_[at(value)]; }

 private:
  static std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }
  bool is_stack(std::int32_t reg) const;
  std::int32_t number(const std::string& symbol, std::int64_t offset);
  std::optional<std::int32_t> variable(const ptx::Instruction& i, std::size_t place);
  Step step(const ptx::Instruction& i);

  const ptx::Function& function_;
  std::size_t values_;
  std::map<std::pair<std::string, std::int64_t>, std::int32_t> variables_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::size_t>> writers_, readers_;  // indexed by value: instructions
};

}  // namespace warpgrade::emulator
