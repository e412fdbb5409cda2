#include "machine/finding.hpp"

namespace warpgrade::emulator {
namespace {

struct Row {
  const char *code, *name;
  Check check;
  const char *check_name, *severity, *help;
};

const Row& row(FindingKind kind) {
  static constexpr Row rows[] = {
#define KIND(id, code, name, check, severity, help) {code, name, Check::check, #check, severity, help},
#include "machine/finding_kinds.def"
#undef KIND
  };
  return rows[static_cast<int>(kind)];
}

}  // namespace

const char* name(FindingKind kind) { return row(kind).name; }
const char* code(FindingKind kind) { return row(kind).code; }
const char* severity(FindingKind kind) { return row(kind).severity; }
const char* help(FindingKind kind) { return row(kind).help; }

Check check_of(FindingKind kind) { return row(kind).check; }
const char* check_name(FindingKind kind) { return row(kind).check_name; }

const char* name(Placement relation) {
  constexpr const char* names[] = {"", "before", "inside", "after"};
  return names[static_cast<int>(relation)];
}

}  // namespace warpgrade::emulator
