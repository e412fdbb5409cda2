#include "program/edits.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/emulator.hpp"
#include "base/errors.hpp"
#include "program/session.hpp"

namespace warpgrade::harness {
namespace {

std::vector<Case> cases_of(const Session& session, const std::vector<std::string>& names) {
  std::vector<Case> cases;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(session.cases(), name, &Case::name);
    if (found == session.cases().end()) throw UsageError("--try names " + name + ", which is no case");
    cases.push_back(*found);
  }
  return cases;
}

// Whether the kernel with this edit passes all cases. Runs in a process of its own.
bool passes(Session& session, int edit, const std::vector<Case>& cases, const Options& options) {
  session.choose(edit);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    emulator::step_limit(options.steps[i]);  // an edit may make a loop endless
    if (session.check(cases[i]).status != Status::pass || emulator::finding_count() > options.findings)
      return false;
  }
  return true;
}

}  // namespace

int run_edits(const Options& options, const LabProgram& lab) {
  Session session(options, lab);
  const std::vector<Case> cases = cases_of(session, options.tried);
  for (const int edit : options.edits) {
    const pid_t child = emulator::fork();
    if (child < 0) throw UsageError("edits are tried on the emulator alone, with WARPGRADE_THREADS=1");
    if (child == 0) {
      int failed = 1;
      try {
        failed = passes(session, edit, cases, options) ? 0 : 1;
      } catch (const std::exception&) {
        failed = 2;
      }
      _exit(failed);  // what the parent has opened is the parent's to close
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  }
  return 1;
}

}  // namespace warpgrade::harness
