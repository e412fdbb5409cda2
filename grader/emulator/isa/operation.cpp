// The table put together, and the look-up in it.
#include "isa/operation.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/form.hpp"
#include "isa/matrix.hpp"
#include "isa/operands.hpp"
#include "isa/variant.hpp"

namespace warpgrade::isa {
namespace {

constexpr Operation kElsewhere[] = {
#define ELSEWHERE(form, shape, counts, section) \
  {form, nullptr, {}, CounterClass::counts, Shape::shape, section},
#include "isa/rows/elsewhere.def"
#undef ELSEWHERE
};

class Table {
 public:
  Table() {
    for (const Rows& rows : chosen_variant().tables)
      rows_.insert(rows_.end(), rows.first, rows.first + rows.count);
    rows_.insert(rows_.end(), std::begin(kElsewhere), std::end(kElsewhere));
    rows_.insert(rows_.end(), matrix_rows().begin(), matrix_rows().end());
    std::stable_sort(rows_.begin(), rows_.end(), [](const Operation& a, const Operation& b) {
      return std::string_view(a.form) < std::string_view(b.form);
    });
    for (const Operation& row : rows_) by_key_[key_of(row.form)].push_back(&row);
  }

  std::span<const Operation> rows() const { return rows_; }

  // All rows of a form; they differ in the widths of the registers. Empty where there is none.
  std::span<const Operation* const> lanewise(const std::string& form) const {
    const auto found = by_key_.find(key_of(form));
    if (found == by_key_.end()) return {};
    return found->second;
  }

  // The row whose form is the longest beginning, in whole words, of this one.
  const Operation* elsewhere(std::string form) const {
    for (;;) {
      const auto found = by_key_.find(key_of(form));
      if (found != by_key_.end() && found->second[0]->shape != Shape::lanewise) return found->second[0];
      const std::size_t dot = form.rfind('.');
      if (dot == std::string::npos) return nullptr;
      form.resize(dot);
    }
  }

 private:
  std::vector<Operation> rows_;
  std::unordered_map<std::string, std::vector<const Operation*>> by_key_;
};

const Table& the_table() {
  static const Table table;
  return table;
}

// Widths that registers have, where they are not what the row's types say.
int mismatches(const Operation& row, const std::vector<const ptx::Operand*>& operands,
               const ptx::Function& function) {
  int count = 0;
  for (std::size_t i = 0; i < operands.size() && i < row.operands.size(); ++i) {
    const ptx::Operand* operand = operands[i];
    if (operand == nullptr || operand->kind != ptx::Operand::Kind::reg || operand->reg < 0) continue;
    const ptx::Type declared = function.registers[static_cast<std::size_t>(operand->reg)].type;
    count += lane_bytes(declared) != lane_bytes(row.operands[i]);
  }
  return count;
}

}  // namespace

const Operation* find(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.opcode == "mma" || instruction.opcode == "wmma") {
    if (const auto form = matrix_form(instruction)) return form->row;
  }
  const auto candidates = the_table().lanewise(form_of(instruction));
  if (candidates.empty() || candidates[0]->shape != Shape::lanewise) {
    return the_table().elsewhere(instruction.form());
  }
  const auto operands = flatten(instruction);
  const auto* best =
      *std::min_element(candidates.begin(), candidates.end(), [&](const Operation* a, const Operation* b) {
        return mismatches(*a, operands, function) < mismatches(*b, operands, function);
      });
  return mismatches(*best, operands, function) == 0 ? best : nullptr;
}

std::span<const Operation> table() { return the_table().rows(); }

}  // namespace warpgrade::isa
