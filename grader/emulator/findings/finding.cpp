#include "machine/finding.hpp"

namespace warpgrade::emulator {
namespace {

struct Row {
  const char *code, *name, *severity, *help;
};

const Row& row(FindingKind kind) {
  static constexpr Row rows[] = {
#define KIND(id, code, name, severity, help) {code, name, severity, help},
#include "findings/kinds.def"
#undef KIND
  };
  return rows[static_cast<int>(kind)];
}

// The table has one row for each enumerator, in the same order.
constexpr FindingKind order[] = {
#define KIND(id, code, name, severity, help) FindingKind::id,
#include "findings/kinds.def"
#undef KIND
};
constexpr bool in_order() {
  for (int i = 0; i < static_cast<int>(sizeof(order)); ++i)
    if (static_cast<int>(order[i]) != i) return false;
  return sizeof(order) == static_cast<int>(FindingKind::unsupported_instruction) + 1;
}
static_assert(in_order());

}  // namespace

const char* name(FindingKind kind) { return row(kind).name; }
const char* code(FindingKind kind) { return row(kind).code; }
const char* severity(FindingKind kind) { return row(kind).severity; }
const char* help(FindingKind kind) { return row(kind).help; }

const char* name(Check check) {
  constexpr const char* names[] = {"memory", "race", "init", "barrier", "limit", "trap", "unsupported"};
  return names[static_cast<int>(check)];
}

}  // namespace warpgrade::emulator
