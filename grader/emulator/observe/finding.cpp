#include "observe/finding.hpp"

namespace warpgrade::observe {
namespace {

struct Row {
  const char *code, *name, *severity, *help;
};

const Row& row(Kind kind) {
  static constexpr Row rows[] = {
#define KIND(id, code, name, severity, help) {code, name, severity, help},
#include "observe/kinds.def"
#undef KIND
  };
  return rows[static_cast<int>(kind)];
}

// The table has one row for each enumerator, in the same order.
constexpr Kind order[] = {
#define KIND(id, code, name, severity, help) Kind::id,
#include "observe/kinds.def"
#undef KIND
};
constexpr bool in_order() {
  for (int i = 0; i < static_cast<int>(sizeof(order)); ++i)
    if (static_cast<int>(order[i]) != i) return false;
  return sizeof(order) == static_cast<int>(Kind::unsupported_instruction) + 1;
}
static_assert(in_order());

}  // namespace

const char* name(Kind kind) { return row(kind).name; }
const char* code(Kind kind) { return row(kind).code; }
const char* severity(Kind kind) { return row(kind).severity; }
const char* help(Kind kind) { return row(kind).help; }

const char* name(Check check) {
  constexpr const char* names[] = {"memory", "race", "init", "barrier", "limit", "trap", "unsupported"};
  return names[static_cast<int>(check)];
}

}  // namespace warpgrade::observe
