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
namespace {

struct Listed {
  Operation operation;
  MatrixForm form;
};

constexpr Operation row_of(const char* form, const char* section) {
  return {form, nullptr, {}, CounterClass::tensor, Shape::matrix, section};
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

struct Name {
  const char* name;
  Element element;
};
constexpr Name kNames[] = {{"f16", Element::f16},   {"bf16", Element::bf16}, {"tf32", Element::tf32},
                           {"f32", Element::f32},   {"f64", Element::f64},   {"e4m3", Element::e4m3},
                           {"e5m2", Element::e5m2}, {"s8", Element::s8},     {"u8", Element::u8},
                           {"s4", Element::s4},     {"u4", Element::u4},     {"b1", Element::b1},
                           {"s32", Element::s32}};

std::optional<MatrixShape> parse_shape(std::string_view word) {
  MatrixShape shape;
  std::uint16_t* const sizes[] = {&shape.m, &shape.n, &shape.k};
  const char *at = word.data(), *end = at + word.size();
  for (int i = 0; i < 3; ++i) {
    if (at == end || *at++ != "mnk"[i]) return {};
    const auto [next, error] = std::from_chars(at, end, *sizes[i]);
    if (error != std::errc()) return {};
    at = next;
  }
  return at == end ? std::optional(shape) : std::nullopt;
}

// The words of a form, sorted by what they say.
struct Words {
  MatrixShape shape;
  std::vector<Element> types;
  std::vector<bool> columns;
  std::vector<std::string_view> others;
  ptx::Space space = ptx::Space::generic;

  explicit Words(const ptx::Instruction& instruction) {
    for (const std::string& word : instruction.modifiers) take(word);
  }
  bool has(std::string_view word) const {
    return std::find(others.begin(), others.end(), word) != others.end();
  }

 private:
  void take(std::string_view word) {
    const auto* type = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&](const Name& name) { return name.name == word; });
    if (type != std::end(kNames))
      types.push_back(type->element);
    else if (const auto size = parse_shape(word))
      shape = *size;
    else if (word == "row" || word == "col")
      columns.push_back(word == "col");
    else if (word == "global")
      space = ptx::Space::global;
    else if (word == "shared" || word == "shared::cta")
      space = ptx::Space::shared;
    else
      others.push_back(word);
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

// Element `part` of a lane's register: mma's fragments, and for larger matrices one beside the other.
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
Position place_in_wide(Matrix matrix, const Fragment& f, int reg, int part, int lane) {
  const Fragment turned = transposed(f);
  if (matrix == Matrix::a) return transposed(place_in_b(turned, reg, part, lane));
  if (matrix == Matrix::b) return transposed(place_in_a(turned, reg, part, lane));
  return transposed(place_in_c(turned, reg, part, lane));
}

// m8n8k4 of f16: lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q hold the q-th of four products.
Position place_in_quads(Matrix matrix, const Fragment& f, bool column_major, int reg, int part, int lane) {
  const int i = reg * f.packed + part, quad = lane / 4 % 4, upper = lane >= 16 ? 4 : 0;
  if (matrix == Matrix::a)
    return column_major ? Position{quad, i + upper, lane % 4} : Position{quad, lane % 4 + upper, i};
  if (matrix == Matrix::b)
    return column_major ? Position{quad, i, lane % 4 + upper} : Position{quad, lane % 4, i + upper};
  if (f.element == Element::f16) return {quad, lane % 4 + upper, i};
  return {quad, (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

using Key = std::tuple<int, int, int, int, int, int, bool, bool>;
const std::uint16_t* positions(const Fragment& f, Matrix matrix, bool column_major, bool wide) {
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<std::uint16_t[]>> made;
  const std::lock_guard lock(mutex);
  auto& table = made[{static_cast<int>(matrix), f.rows, f.columns, f.matrices, f.packed, f.distinct,
                      f.matrices > 1 && column_major, wide}];
  if (table) return table.get();
  table = std::make_unique<std::uint16_t[]>(std::size_t{f.distinct} * f.packed * 32);
  std::size_t next = 0;
  for (int reg = 0; reg < f.distinct; ++reg)
    for (int part = 0; part < f.packed; ++part)
      for (int lane = 0; lane < 32; ++lane) {
        const Position at = f.matrices > 1        ? place_in_quads(matrix, f, column_major, reg, part, lane)
                            : wide                ? place_in_wide(matrix, f, reg, part, lane)
                            : matrix == Matrix::a ? place_in_a(f, reg, part, lane)
                            : matrix == Matrix::b ? place_in_b(f, reg, part, lane)
                                                  : place_in_c(f, reg, part, lane);
        table[next++] = static_cast<std::uint16_t>((at.matrix * f.rows + at.row) * f.columns + at.column);
      }
  return table.get();
}

// ---- loads and stores

// The form whose fragments a load or store moves: any one with this shape and this type of element.
std::optional<MatrixForm> form_with(MatrixShape shape, Matrix matrix, Element element) {
  for (const Listed& listed : kListed) {
    const MatrixForm& form = listed.form;
    const Element its = matrix == Matrix::a ? form.a : matrix == Matrix::b ? form.b : form.c;
    if (form.is_wmma && form.shape == shape && its == element) return form;
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
  const Words words(instruction);
  MatrixForm form;
  form.is_wmma = instruction.opcode == "wmma";
  if (form.is_wmma && !words.has("mma")) return {};
  form.shape = words.shape;
  form.satfinite = words.has("satfinite");
  form.exclusive = words.has("xor");
  if (words.columns.size() != 2 || words.has("sp") || words.has("sp::ordered_metadata")) return {};
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

Fragment fragment_of(const MatrixForm& form, Matrix matrix) {
  const MatrixShape& s = form.shape;
  Fragment f;
  f.element = matrix == Matrix::a ? form.a : matrix == Matrix::b ? form.b : form.c;
  f.rows = matrix == Matrix::b ? s.k : s.m;
  f.columns = matrix == Matrix::a ? s.k : s.n;
  const int bits = bits_of(f.element);
  f.width = static_cast<std::uint8_t>(std::max(bits, 32));
  f.packed = static_cast<std::uint8_t>(f.width / bits);
  const bool quads = !form.is_wmma && s == MatrixShape{8, 8, 4} && form.a == Element::f16;
  f.matrices = quads ? 4 : 1;
  f.distinct = static_cast<std::uint8_t>(f.rows * f.columns * f.matrices / 32 / f.packed);
  const bool doubled = form.is_wmma && form.a == Element::f16 && matrix != Matrix::c;
  f.registers = doubled ? 8 : f.distinct;
  f.position = positions(f, matrix, matrix != Matrix::c && form.column[matrix == Matrix::b],
                         s == MatrixShape{8, 32, 16});
  return f;
}

std::optional<MatrixAccess> matrix_access(const ptx::Instruction& instruction) {
  const Words words(instruction);
  MatrixAccess access;
  access.store = words.has("store");
  const Matrix matrix = words.has("a") ? Matrix::a : words.has("b") ? Matrix::b : Matrix::c;
  if (words.types.size() != 1 || words.columns.size() != 1) return {};
  const auto form = form_with(words.shape, matrix, words.types[0]);
  if (!form) return {};
  access.fragment = fragment_of(*form, matrix);
  access.column_major = words.columns[0];
  access.space = words.space;
  return access;
}

std::span<const Operation> matrix_rows() {
  static const std::vector<Operation> rows = [] {
    std::vector<Operation> all;
    for (const Listed& listed : kListed) all.push_back(listed.operation);
    return all;
  }();
  return rows;
}

}  // namespace warpgrade::isa
