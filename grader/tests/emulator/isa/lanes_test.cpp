// Every row of the operation table, in every vector width, against the reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "isa/variant.hpp"
#include "tests/emulator/isa/reference_compare.hpp"
#include "tests/emulator/isa/reference_convert.hpp"
#include "tests/emulator/isa/reference_floating.hpp"
#include "tests/emulator/isa/reference_integer.hpp"
#include "tests/emulator/isa/row_runner.hpp"
#include "tests/emulator/support/sanitized.hpp"

using namespace warpgrade;
using isa::Operation;
using isa::cases::Raw;
using isa::cases::Run;
using isa::reference::Answer;
using isa::reference::Reference;

namespace {

Reference reference_for(const Operation& row) {
  const auto form = isa::reference::parse_form(row.form);
  if (auto found = isa::reference::compare_reference(form)) return found;
  if (auto found = isa::reference::convert_reference(form, row)) return found;
  if (auto found = isa::reference::floating_reference(form)) return found;
  return isa::reference::integer_reference(form, row);
}

std::string hexadecimal(Raw value) {
  std::ostringstream text;
  text << std::hex;
  if (value >> 64) text << static_cast<std::uint64_t>(value >> 64) << '_';
  text << static_cast<std::uint64_t>(value);
  return text.str();
}

// Distance in units in the last place of each part, for approximations.
bool close(ptx::Type type, const Answer& expected, Raw got) {
  if (expected.out[0] == got) return true;
  const bool pair = type == ptx::Type::f16x2 || type == ptx::Type::bf16x2;
  if (expected.absolute != 0.0) {
    const auto want = isa::reference::from_bits<float>(static_cast<std::uint64_t>(expected.out[0]));
    const auto have = isa::reference::from_bits<float>(static_cast<std::uint64_t>(got));
    return std::fabs(static_cast<double>(want) - static_cast<double>(have)) <= expected.absolute;
  }
  for (int half = 0; half < (pair ? 2 : 1); ++half) {
    const Raw mask = pair ? Raw{0xffff} : ~Raw{0};
    const auto a = static_cast<std::int64_t>(expected.out[0] >> 16 * half & mask);
    const auto b = static_cast<std::int64_t>(got >> 16 * half & mask);
    // rcp.approx.ftz.f64 and similar forms have their last place in the upper half.
    const std::int64_t unit =
        type == ptx::Type::f64 && (a & 0xffffffff) == 0 && (b & 0xffffffff) == 0 ? std::int64_t{1} << 32 : 1;
    if (std::abs(a - b) > expected.units * unit) return false;
  }
  return true;
}

struct Expectation {
  isa::reference::Lane lane;
  Answer answer;
};

// The result of one run of a row, for comparison with the expected one.
struct Outcome {
  const Operation& row;
  const isa::cases::RowShape& shape;
  const Run& before;
  const Run& after;
  const std::vector<Expectation>& expected;
  std::uint32_t active;

  bool runs(int lane) const { return active >> lane & 1; }
  Raw value(const Run& run, int operand, int lane) const {
    const auto at = static_cast<std::size_t>(operand);
    return isa::cases::get_lane(run.frame.data() + at * isa::cases::kSlotBytes, row.operands[at], lane);
  }
  Raw wanted(int operand, int lane) const {
    if (!runs(lane)) return value(before, operand, lane);
    return expected[static_cast<std::size_t>(lane)].answer.out[static_cast<std::size_t>(operand)];
  }
  bool has(int operand) const { return operand != 1 || !shape.without_second; }

  bool as_expected(int lane) const {
    const Answer& answer = expected[static_cast<std::size_t>(lane)].answer;
    for (int i = 0; i < shape.destinations; ++i) {
      const Raw got = value(after, i, lane);
      const bool approximate = runs(lane) && i == 0 && (answer.units != 0 || answer.absolute != 0.0);
      if (has(i) && got != wanted(i, lane) && !(approximate && close(row.operands[0], answer, got)))
        return false;
    }
    const bool carry = runs(lane) && shape.writes_carry ? answer.carry : (before.carry >> lane & 1) != 0;
    return (after.carry >> lane & 1) == carry;
  }
  std::string describe(int lane) const {
    std::ostringstream text;
    text << row.form << " lane " << lane << (runs(lane) ? "" : " (not active)") << " of";
    for (int i = shape.destinations; i < shape.operands; ++i)
      text << ' ' << hexadecimal(value(before, i, lane));
    text << " carry " << (before.carry >> lane & 1) << "→" << (after.carry >> lane & 1) << ':';
    for (int i = 0; i < shape.destinations; ++i) {
      if (has(i))
        text << " got " << hexadecimal(value(after, i, lane)) << " expected " << hexadecimal(wanted(i, lane));
    }
    return text.str();
  }
  // The first lane that differs from the expected result, or nothing.
  std::string difference() const {
    for (int lane = 0; lane < 32; ++lane) {
      if (!as_expected(lane)) return describe(lane);
    }
    return {};
  }
};

std::vector<Expectation> expectations(const Operation& row, const isa::cases::RowShape& shape,
                                      const Reference& reference, const Run& run) {
  std::vector<Expectation> all(32);
  for (int lane = 0; lane < 32; ++lane) {
    auto& one = all[static_cast<std::size_t>(lane)];
    for (int i = 0; i < shape.operands; ++i) {
      const auto at = static_cast<std::size_t>(i);
      one.lane.in[at] =
          isa::cases::get_lane(run.frame.data() + at * isa::cases::kSlotBytes, row.operands[at], lane);
    }
    one.lane.carry = run.carry >> lane & 1;
    one.answer = reference(one.lane);
  }
  return all;
}

// All rows of a variant that are run here, in the order of its tables.
std::vector<const Operation*> rows_of(const isa::LaneVariant& variant) {
  std::vector<const Operation*> rows;
  for (const auto& table : variant.tables) {
    for (std::size_t i = 0; i < table.count; ++i) rows.push_back(table.first + i);
  }
  return rows;
}

constexpr std::uint32_t kMasks[] = {emulator::kFullMask, 0x00000001, 0x80000000, 0x0000ffff,
                                    0xaaaaaaaa,          0x7ffffffe, 0};

// Runs one warp of cases on one variant's row; what differs, or nothing.
std::string check_warp(const Operation& row, const isa::cases::RowShape& shape, const Run& before,
                       const std::vector<Expectation>& expected, std::uint32_t active) {
  Run after = before;
  isa::cases::run_row(row, shape, after, active);
  return Outcome{row, shape, before, after, expected, active}.difference();
}

}  // namespace

TEST_CASE(
    "every row agrees with the reference, lane by lane, in every vector width and under partial masks") {
  std::vector<std::pair<const char*, std::vector<const Operation*>>> widths;
  for (const auto& variant : isa::variants()) {
    if (variant.runs_here) widths.emplace_back(variant.name, rows_of(variant));
  }
  const int step = is_sanitized() ? 3 : 1;  // a sanitizer finds in one warp what it finds in the next
  std::size_t checked = 0;
  for (std::size_t r = 0; r < widths[0].second.size(); ++r) {
    const Operation& row = *widths[0].second[r];
    const Reference reference = reference_for(row);
    REQUIRE_MESSAGE(reference, std::string_view(row.form), " has no reference");
    const auto shape = isa::cases::shape_of(row);
    std::string wrong;
    for (int first = 0; first < isa::cases::kCases && wrong.empty(); first += 32 * step) {
      Run before;
      isa::cases::load_cases(row, shape, first, before);
      const auto expected = expectations(row, shape, reference, before);
      for (const std::uint32_t mask : kMasks) {
        if (mask != emulator::kFullMask && first % 256 != 32)
          continue;  // partial masks for every eighth warp
        for (const auto& [name, rows] : widths) {
          if (rows[r] == &row && name != widths[0].first) continue;  // a rare row is the same in every width
          if (wrong.empty()) wrong = check_warp(*rows[r], shape, before, expected, mask);
          if (!wrong.empty() && wrong[0] != '[') wrong = "[" + std::string(name) + "] " + wrong;
        }
      }
    }
    CHECK_MESSAGE(wrong.empty(), wrong);
    ++checked;
  }
  MESSAGE(checked, " rows, ", widths.size(), " vector widths");
}

TEST_CASE("the result may take the place of an operand of its width") {
  for (const auto& variant : isa::variants()) {
    if (!variant.runs_here) continue;
    for (const Operation* row : rows_of(variant)) {
      const auto shape = isa::cases::shape_of(*row);
      if (shape.destinations != 1) continue;
      for (int source = 1; source < shape.operands; ++source) {
        const auto at = static_cast<std::size_t>(source);
        if (isa::lane_bytes(row->operands[at]) != isa::lane_bytes(row->operands[0]) ||
            source == shape.table_operand)
          continue;
        if ((row->operands[at] == ptx::Type::pred) != (row->operands[0] == ptx::Type::pred)) continue;
        Run apart, together;
        isa::cases::load_cases(*row, shape, 64, apart);
        std::memcpy(apart.frame.data(), apart.frame.data() + at * isa::cases::kSlotBytes,
                    isa::cases::kSlotBytes);
        together = apart;
        std::array<int, 8> slots = {0, 1, 2, 3, 4, 5, 6, 7};
        slots[at] = 0;
        isa::cases::run_row(*row, shape, apart, 0x0ff0ff0f);
        isa::cases::run_row(*row, shape, together, 0x0ff0ff0f, slots);
        CHECK_MESSAGE(std::memcmp(apart.frame.data(), together.frame.data(), isa::cases::kSlotBytes) == 0,
                      std::string_view(variant.name), ": ", std::string_view(row->form),
                      " in place of operand ", source);
      }
    }
  }
}

TEST_CASE("lop3 follows each of its 256 tables") {
  const Operation* lop3 = nullptr;
  for (const Operation& row : isa::table()) {
    if (std::string_view(row.form) == "lop3.b32") lop3 = &row;
  }
  REQUIRE(lop3 != nullptr);
  const auto shape = isa::cases::shape_of(*lop3);
  const Reference reference = reference_for(*lop3);
  for (int table = 0; table < 256; ++table) {
    Run before;
    isa::cases::load_cases(*lop3, shape, table * 8 % isa::cases::kCases, before);
    for (int lane = 0; lane < 32; ++lane) {
      isa::cases::set_lane(before.frame.data() + 4 * isa::cases::kSlotBytes, ptx::Type::b32, lane,
                           static_cast<Raw>(table));
    }
    const std::string wrong =
        check_warp(*lop3, shape, before, expectations(*lop3, shape, reference, before), ~0u);
    CHECK_MESSAGE(wrong.empty(), wrong);
  }
}
