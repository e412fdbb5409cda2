// Builds the operation table and looks up rows in it.
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

using ptx::Opcode;
namespace {

namespace elsewhere {
using enum Attribute;
constexpr Operation kRows[] = {
#define ELSEWHERE(form, shape, counts, section, attributes) \
  {form, nullptr, {}, CounterClass::counts, Shape::shape, section, attributes},
#include "isa/rows/elsewhere.def"
#undef ELSEWHERE
};
}  // namespace elsewhere

// A row that is not lanewise, found by its opcode and modifiers.
struct FormRow {
  std::vector<ptx::Modifier> modifiers;
  const Operation* row;

  // True if the instruction's first modifiers are these, in any order.
  bool begins(const ptx::Instruction& instruction) const {
    const auto& all = instruction.modifiers;
    return modifiers.size() <= all.size() &&
           std::is_permutation(modifiers.begin(), modifiers.end(), all.begin(),
                               all.begin() + static_cast<std::ptrdiff_t>(modifiers.size()));
  }
  bool is_of(const ptx::Instruction& instruction) const {
    return std::all_of(modifiers.begin(), modifiers.end(),
                       [&](ptx::Modifier each) { return instruction.has(each); });
  }
};

// The rows of one opcode.
struct OpcodeRows {
  std::vector<FormRow> forms;  // with most modifiers first
  Attributes lanewise;
};

class Table {
 public:
  Table() {
    for (const Rows& rows : chosen_variant().tables)
      for (std::size_t i = 0; i < rows.count; ++i) {
        rows_.push_back(rows.first[i]);
        rows_.back().attributes = rows.attributes;
      }
    rows_.insert(rows_.end(), std::begin(elsewhere::kRows), std::end(elsewhere::kRows));
    rows_.insert(rows_.end(), matrix_rows().begin(), matrix_rows().end());
    std::stable_sort(rows_.begin(), rows_.end(), [](const Operation& a, const Operation& b) {
      return std::string_view(a.form) < std::string_view(b.form);
    });
    for (const Operation& row : rows_) add(row);
    for (OpcodeRows& of : by_opcode_)
      std::stable_sort(of.forms.begin(), of.forms.end(), [](const FormRow& a, const FormRow& b) {
        return a.modifiers.size() > b.modifiers.size();
      });
  }

  std::span<const Operation> rows() const { return rows_; }

  // All rows of a form; they differ in the widths of the registers. Empty if there is none.
  std::span<const Operation* const> lanewise(const ptx::Instruction& instruction) const {
    const auto found = by_key_.find(key_of(instruction));
    if (found == by_key_.end()) return {};
    return found->second;
  }

  // The row whose form is the longest prefix, in whole words, of the instruction's form.
  const Operation* elsewhere(const ptx::Instruction& instruction) const {
    for (const FormRow& form : of(instruction).forms)
      if (form.row->counts != CounterClass::tensor && form.begins(instruction)) return form.row;
    return nullptr;
  }

  Shape shape(const ptx::Instruction& instruction) const {
    const std::vector<FormRow>& forms = of(instruction).forms;
    return forms.empty() ? Shape::lanewise : forms[0].row->shape;
  }

  Attributes attributes(const ptx::Instruction& instruction) const {
    const OpcodeRows& rows = of(instruction);
    if (rows.forms.empty()) return rows.lanewise;
    for (const FormRow& form : rows.forms)
      if (form.is_of(instruction)) return form.row->attributes;
    return rows.forms.back().row->attributes;
  }

 private:
  const OpcodeRows& of(const ptx::Instruction& instruction) const {
    return by_opcode_[static_cast<std::size_t>(instruction.opcode)];
  }

  void add(const Operation& row) {
    ptx::Instruction form;
    const std::string_view text(row.form);
    form.set_form(std::string(text.substr(0, text.find(' '))));
    OpcodeRows& rows = by_opcode_[static_cast<std::size_t>(form.opcode)];
    if (row.shape == Shape::lanewise) {
      by_key_[key_of(text)].push_back(&row);
      rows.lanewise = rows.lanewise | row.attributes;
    } else if (row.counts == CounterClass::tensor) {
      add_product(form, row, rows);
    } else {
      rows.forms.push_back({form.modifiers, &row});
    }
  }

  // mma and wmma.mma have a row for each shape and type, all with the same attributes. Keeps the modifiers
  // that all rows have.
  static void add_product(const ptx::Instruction& form, const Operation& row, OpcodeRows& rows) {
    const auto known = std::find_if(rows.forms.begin(), rows.forms.end(), [](const FormRow& each) {
      return each.row->counts == CounterClass::tensor;
    });
    if (known == rows.forms.end())
      rows.forms.push_back({form.modifiers, &row});
    else
      std::erase_if(known->modifiers, [&](ptx::Modifier each) { return !form.has(each); });
  }

  std::vector<Operation> rows_;
  std::unordered_map<Key, std::vector<const Operation*>> by_key_;  // lanewise rows
  std::array<OpcodeRows, static_cast<std::size_t>(ptx::Opcode::kCount)> by_opcode_;
};

const Table& the_table() {
  static const auto& table = *new const Table;
  return table;
}

// Number of register operands whose declared width differs from the row's type.
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
  if (instruction.opcode == Opcode::mma || instruction.opcode == Opcode::wmma) {
    if (const auto form = matrix_form(instruction)) return form->row;
  }
  const auto candidates = the_table().lanewise(instruction);
  if (candidates.empty()) return the_table().elsewhere(instruction);
  const auto operands = flatten(instruction);
  const auto* best =
      *std::min_element(candidates.begin(), candidates.end(), [&](const Operation* a, const Operation* b) {
        return mismatches(*a, operands, function) < mismatches(*b, operands, function);
      });
  return mismatches(*best, operands, function) == 0 ? best : nullptr;
}

Attributes attributes_of(const ptx::Instruction& instruction) { return the_table().attributes(instruction); }

Shape shape_of(const ptx::Instruction& instruction) { return the_table().shape(instruction); }

std::span<const Operation> table() { return the_table().rows(); }

}  // namespace warpgrade::isa
