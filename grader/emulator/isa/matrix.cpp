#include "isa/matrix.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace warpgrade::isa {

using ptx::Modifier;
using ptx::Opcode;
namespace {

struct Listed {
  Operation operation;
  MatrixForm form;
};

constexpr Operation row_of(const char* form, const char* section) {
  return {form,
          nullptr,
          {},
          CounterClass::tensor,
          Shape::matrix,
          section,
          Attribute::exchange | Attribute::collective};
}
enum Layout : bool { row = false, col = true };

// clang-format off
constexpr Listed kListed[] = {
#define MMA(modifiers, m, n, k, td, ta, tb, tc, la, lb)                                                    \
  {row_of("mma.sync.aligned.m" #m "n" #n "k" #k "." #la "." #lb modifiers "." #td "." #ta "." #tb "." #tc, \
          "9.7.14.5"),                                                                                     \
   {{m, n, k}, Element::ta, Element::tb, Element::tc, Element::td, false, sizeof(modifiers) > 1, false,    \
    {la, lb}}},
#define MMA_BITS(m, n, k, operation)                                                                       \
  {row_of("mma.sync.aligned.m" #m "n" #n "k" #k ".row.col.s32.b1.b1.s32." #operation ".popc", "9.7.14.5"), \
   {{m, n, k}, Element::b1, Element::b1, Element::s32, Element::s32, false, false, #operation[0] == 'x',   \
    {row, col}}},
#define WMMA(modifiers, m, n, k, td, ta, tb, tc, types, la, lb)                                            \
  {row_of("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k types modifiers, "9.7.14.4"),         \
   {{m, n, k}, Element::ta, Element::tb, Element::tc, Element::td, true, sizeof(modifiers) > 1, false,     \
    {la, lb}}},
#define WMMA_BITS(m, n, k, operation)                                                                      \
  {row_of("wmma.mma." #operation ".popc.sync.aligned.row.col.m" #m "n" #n "k" #k ".s32.b1.b1.s32",         \
          "9.7.14.4"),                                                                                     \
   {{m, n, k}, Element::b1, Element::b1, Element::s32, Element::s32, true, false, #operation[0] == 'x',    \
    {row, col}}},
#include "isa/rows/matrix.def"
};
// clang-format on

std::optional<Element> element_of(Modifier modifier) {
  switch (modifier) {
#define ELEMENT(name)  \
  case Modifier::name: \
    return Element::name;
    ELEMENT(f16)
    ELEMENT(bf16)
    ELEMENT(tf32)
    ELEMENT(f32)
    ELEMENT(f64)
    ELEMENT(e4m3)
    ELEMENT(e5m2)
    ELEMENT(s8)
    ELEMENT(u8)
    ELEMENT(s4)
    ELEMENT(u4)
    ELEMENT(b1)
    ELEMENT(s32)
#undef ELEMENT
    default:
      return {};
  }
}

std::optional<MatrixShape> shape_of(Modifier modifier) {
  switch (modifier) {
#define MATRIX_SHAPE(M, N, K)      \
  case Modifier::m##M##n##N##k##K: \
    return MatrixShape{M, N, K};
#include "ptx/tree/modifiers.def"
    default:
      return {};
  }
}

// Shape, element types and layouts from the modifiers of a matrix instruction.
struct MatrixModifiers {
  MatrixShape shape;
  std::vector<Element> types;
  std::vector<bool> columns;

  explicit MatrixModifiers(const ptx::Instruction& instruction) {
    for (const Modifier each : instruction.modifiers) {
      if (const auto type = element_of(each))
        types.push_back(*type);
      else if (const auto size = shape_of(each))
        shape = *size;
      else if (each == Modifier::row || each == Modifier::col)
        columns.push_back(each == Modifier::col);
    }
  }
};

bool same_form(const MatrixForm& x, const MatrixForm& y) {
  return x.shape == y.shape && x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d &&
         x.is_wmma == y.is_wmma && x.satfinite == y.satfinite && x.exclusive == y.exclusive &&
         x.column[0] == y.column[0] && x.column[1] == y.column[1];
}

// ---- fragments

struct Position {
  int matrix = 0, row = 0, column = 0;
};

// Position of element `part` of a lane's register. Larger matrices consist of several mma fragments side by
// side.
Position place_in_a(const Fragment& f, int reg, int part, int lane) {
  const int group = lane / 4, column = lane % 4 * f.packed + part, step = 4 * f.packed;
  if (f.rows == 8) return {0, group, column + reg * step};
  const int steps = f.columns / step, tile = reg / 2 / steps;
  return {0, group + 8 * (reg & 1) + 16 * tile, column + reg / 2 % steps * step};
}
Position place_in_b(const Fragment& f, int reg, int part, int lane) {
  const int step = 4 * f.packed, steps = f.rows / step;
  return {0, lane % 4 * f.packed + part + reg % steps * step, lane / 4 + 8 * (reg / steps)};
}
Position place_in_c(const Fragment& f, int reg, int part, int lane) {
  const int i = reg * f.packed + part, pair = i / 2, column = lane % 4 * 2 + i % 2, tiles = f.columns / 8;
  if (f.rows == 8) return {0, lane / 4, column + 8 * pair};
  return {0, lane / 4 + 8 * (pair & 1) + 16 * (pair / 2 / tiles), column + 8 * (pair / 2 % tiles)};
}
// m8n32: the hardware multiplies the transposed matrices, as m32n8.
Position transposed(Position at) { return {at.matrix, at.column, at.row}; }
Fragment transposed(Fragment f) {
  std::swap(f.rows, f.columns);
  return f;
}
Position place_in_wide(MatrixRole matrix, const Fragment& f, int reg, int part, int lane) {
  const Fragment turned = transposed(f);
  if (matrix == MatrixRole::a) return transposed(place_in_b(turned, reg, part, lane));
  if (matrix == MatrixRole::b) return transposed(place_in_a(turned, reg, part, lane));
  return transposed(place_in_c(turned, reg, part, lane));
}

// m8n8k4 of f16: lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q hold the q-th of four products.
Position place_in_quads(MatrixRole matrix, const Fragment& f, bool column_major, int reg, int part,
                        int lane) {
  const int i = reg * f.packed + part, quad = lane / 4 % 4, upper = lane >= 16 ? 4 : 0;
  if (matrix == MatrixRole::a)
    return column_major ? Position{quad, i + upper, lane % 4} : Position{quad, lane % 4 + upper, i};
  if (matrix == MatrixRole::b)
    return column_major ? Position{quad, i, lane % 4 + upper} : Position{quad, lane % 4, i + upper};
  if (f.element == Element::f16) return {quad, lane % 4 + upper, i};
  return {quad, (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

using Key = std::tuple<int, int, int, int, int, int, bool, bool>;
const std::uint16_t* positions(const Fragment& f, MatrixRole matrix, bool column_major, bool wide) {
  static std::mutex mutex;
  static auto& made = *new std::map<Key, std::unique_ptr<std::uint16_t[]>>;
  const std::lock_guard lock(mutex);
  auto& table = made[{static_cast<int>(matrix), f.rows, f.columns, f.matrices, f.packed, f.distinct,
                      f.matrices > 1 && column_major, wide}];
  if (table) return table.get();
  table = std::make_unique<std::uint16_t[]>(std::size_t{f.distinct} * f.packed * 32);
  std::size_t next = 0;
  for (int reg = 0; reg < f.distinct; ++reg)
    for (int part = 0; part < f.packed; ++part)
      for (int lane = 0; lane < 32; ++lane) {
        const Position at = f.matrices > 1 ? place_in_quads(matrix, f, column_major, reg, part, lane)
                            : wide         ? place_in_wide(matrix, f, reg, part, lane)
                            : matrix == MatrixRole::a ? place_in_a(f, reg, part, lane)
                            : matrix == MatrixRole::b ? place_in_b(f, reg, part, lane)
                                                      : place_in_c(f, reg, part, lane);
        table[next++] = static_cast<std::uint16_t>((at.matrix * f.rows + at.row) * f.columns + at.column);
      }
  return table.get();
}

// ---- loads and stores

// A form with this shape and element type: its fragment is the one that a wmma.load or wmma.store moves.
std::optional<MatrixForm> form_with(MatrixShape shape, MatrixRole matrix, Element element) {
  for (const Listed& listed : kListed) {
    const MatrixForm& form = listed.form;
    const Element form_element = matrix == MatrixRole::a ? form.a : matrix == MatrixRole::b ? form.b : form.c;
    if (form.is_wmma && form.shape == shape && form_element == element) return form;
  }
  return {};
}

}  // namespace

int bits_of(Element element) {
  switch (element) {
    case Element::f64:
      return 64;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::e4m3:
    case Element::e5m2:
    case Element::s8:
    case Element::u8:
      return 8;
    case Element::s4:
    case Element::u4:
      return 4;
    case Element::b1:
      return 1;
    default:
      return 32;
  }
}

std::optional<MatrixForm> matrix_form(const ptx::Instruction& instruction) {
  const MatrixModifiers words(instruction);
  MatrixForm form;
  form.is_wmma = instruction.opcode == Opcode::wmma;
  if (form.is_wmma && !instruction.has(Modifier::mma)) return {};
  form.shape = words.shape;
  form.satfinite = instruction.has(Modifier::satfinite);
  form.exclusive = instruction.has(Modifier::xor_);
  if (words.columns.size() != 2 || instruction.has(Modifier::sp) ||
      instruction.has(Modifier::sp_ordered_metadata))
    return {};
  std::copy(words.columns.begin(), words.columns.end(), form.column);
  if (words.types.size() == 4) {
    form.d = words.types[0], form.a = words.types[1], form.b = words.types[2], form.c = words.types[3];
  } else if (words.types.size() == 2) {  // wmma of f16
    form.d = words.types[0], form.c = words.types[1];
  } else {
    return {};
  }
  for (const Listed& listed : kListed) {
    if (!same_form(listed.form, form)) continue;
    form.row = &listed.operation;
    return form;
  }
  return {};
}

Fragment fragment_of(const MatrixForm& form, MatrixRole matrix) {
  const MatrixShape& s = form.shape;
  Fragment f;
  f.element = matrix == MatrixRole::a ? form.a : matrix == MatrixRole::b ? form.b : form.c;
  f.rows = matrix == MatrixRole::b ? s.k : s.m;
  f.columns = matrix == MatrixRole::a ? s.k : s.n;
  const int bits = bits_of(f.element);
  f.width = static_cast<std::uint8_t>(std::max(bits, 32));
  f.packed = static_cast<std::uint8_t>(f.width / bits);
  const bool quads = !form.is_wmma && s == MatrixShape{8, 8, 4} && form.a == Element::f16;
  f.matrices = quads ? 4 : 1;
  f.distinct = static_cast<std::uint8_t>(f.rows * f.columns * f.matrices / 32 / f.packed);
  const bool doubled = form.is_wmma && form.a == Element::f16 && matrix != MatrixRole::c;
  f.registers = doubled ? 8 : f.distinct;
  f.position = positions(f, matrix, matrix != MatrixRole::c && form.column[matrix == MatrixRole::b],
                         s == MatrixShape{8, 32, 16});
  return f;
}

std::optional<MatrixAccess> matrix_access(const ptx::Instruction& instruction) {
  const MatrixModifiers words(instruction);
  MatrixAccess access;
  access.store = instruction.has(Modifier::store);
  const MatrixRole matrix = instruction.has(Modifier::a)   ? MatrixRole::a
                            : instruction.has(Modifier::b) ? MatrixRole::b
                                                           : MatrixRole::c;
  if (words.types.size() != 1 || words.columns.size() != 1) return {};
  const auto form = form_with(words.shape, matrix, words.types[0]);
  if (!form) return {};
  access.fragment = fragment_of(*form, matrix);
  access.column_major = words.columns[0];
  access.space = instruction.space();
  return access;
}

std::span<const Operation> matrix_rows() {
  static const auto& rows = *[] {
    auto* all = new std::vector<Operation>;
    for (const Listed& listed : kListed) all->push_back(listed.operation);
    return all;
  }();
  return rows;
}

}  // namespace warpgrade::isa
