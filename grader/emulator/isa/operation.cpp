// Builds the operation table and looks up rows in it.
#include "isa/operation.hpp"

#include <algorithm>
#include <array>
#include <mutex>
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

// The rows of one opcode, ready for look-ups.
struct OpcodeRows {
  std::vector<Operation> rows;                                    // by form
  std::unordered_map<Key, std::vector<const Operation*>> by_key;  // lanewise rows
  std::vector<FormRow> forms;                                     // the others, with most modifiers first
  Attributes lanewise;
};

std::string_view name_in(std::string_view form) { return form.substr(0, form.find_first_of(". ")); }

bool is_before(const Operation& a, const Operation& b) {
  return std::string_view(a.form) < std::string_view(b.form);
}

// A process uses few of some hundred opcodes, so the forms of an opcode are parsed when it is first looked
// up.
class Table {
 public:
  Table() {
    for (const Rows& table : chosen_variant().tables) insert({table.first, table.count}, table.attributes);
    insert(elsewhere::kRows, {});
    insert(matrix_rows(), {});
  }

  std::vector<Operation> sorted() const {
    std::vector<Operation> all;
    for (const Bucket& bucket : buckets_)
      for (const Source& source : bucket.sources) all.push_back(source.operation());
    std::stable_sort(all.begin(), all.end(), is_before);
    return all;
  }

  // All rows of a form; they differ in the widths of the registers. Empty if there is none.
  std::span<const Operation* const> lanewise(const ptx::Instruction& instruction) const {
    const auto& by_key = of(instruction).by_key;
    const auto found = by_key.find(key_of(instruction));
    if (found == by_key.end()) return {};
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
  // A row where the linker has put it. `more`: attributes of its whole table.
  struct Source {
    const Operation* row;
    Attributes more;
    Operation operation() const {
      Operation copy = *row;
      copy.attributes = copy.attributes | more;
      return copy;
    }
  };

  struct Bucket {
    std::vector<Source> sources;
    std::once_flag parsed;
    OpcodeRows ready;
  };

  void insert(std::span<const Operation> rows, Attributes more) {
    std::string_view name;
    Bucket* bucket = nullptr;
    for (const Operation& row : rows) {
      if (bucket == nullptr || name_in(row.form) != name) {  // the rows of an opcode mostly stand together
        name = name_in(row.form);
        bucket = &buckets_[static_cast<std::size_t>(ptx::opcode_from_name(name))];
      }
      bucket->sources.push_back({&row, more});
    }
  }

  const OpcodeRows& of(const ptx::Instruction& instruction) const {
    Bucket& bucket = buckets_[static_cast<std::size_t>(instruction.opcode)];
    std::call_once(bucket.parsed, [&] { parse(bucket); });
    return bucket.ready;
  }

  static void parse(Bucket& bucket) {
    OpcodeRows& ready = bucket.ready;
    for (const Source& source : bucket.sources) ready.rows.push_back(source.operation());
    std::stable_sort(ready.rows.begin(), ready.rows.end(), is_before);
    for (const Operation& row : ready.rows) add(row, ready);
    std::stable_sort(ready.forms.begin(), ready.forms.end(), [](const FormRow& a, const FormRow& b) {
      return a.modifiers.size() > b.modifiers.size();
    });
  }

  static void add(const Operation& row, OpcodeRows& rows) {
    if (row.shape == Shape::lanewise) {
      rows.by_key[key_of(row.form)].push_back(&row);
      rows.lanewise = rows.lanewise | row.attributes;
      return;
    }
    ptx::Instruction form;
    form.set_form(std::string(row.form));
    if (row.counts == CounterClass::tensor)
      add_product(form, row, rows);
    else
      rows.forms.push_back({form.modifiers, &row});
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

  mutable std::array<Bucket, static_cast<std::size_t>(ptx::Opcode::kCount)> buckets_;
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

std::span<const Operation> table() {
  static const auto& sorted = *new const std::vector<Operation>(the_table().sorted());
  return sorted;
}

}  // namespace warpgrade::isa
