// Reaching definitions within a basic block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

class ReachingDefinitions {
 public:
  explicit ReachingDefinitions(const ptx::Function& function) : body_(function.instructions) {}

  struct BaseOffset {
    std::int32_t base = -1;  // a register
    std::int64_t offset = 0;
    bool operator==(const BaseOffset&) const = default;
  };

  // The last instruction of this block before `at` that writes the register.
  std::optional<std::size_t> writer(std::int32_t reg, std::size_t at) const {
    while (at-- > 0 && !ends_block(body_[at])) {
      const auto written = registers_used(body_[at]).written;
      if (std::find(written.begin(), written.end(), reg) != written.end()) return at;
    }
    return {};
  }

  std::optional<BaseOffset> word(const ptx::Operand& place, std::size_t at) const {
    if (place.kind != ptx::Operand::Kind::address || !place.has_reg) return {};
    BaseOffset out{place.reg, place.offset};
    for (auto from = writer(out.base, at); from && body_[*from].opcode == ptx::Opcode::add;
         from = writer(out.base, *from)) {
      const auto& operands = body_[*from].operands;
      if (operands[1].kind != ptx::Operand::Kind::reg || operands[2].kind != ptx::Operand::Kind::integer)
        break;
      out = {operands[1].reg, out.offset + static_cast<std::int64_t>(operands[2].bits)};
    }
    return out;
  }

  const ptx::Instruction& at(std::size_t i) const { return body_[i]; }

 protected:
  const std::vector<ptx::Instruction>& body_;
};

}  // namespace warpgrade::emulator
