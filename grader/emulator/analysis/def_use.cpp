#include "analysis/def_use.hpp"

#include <algorithm>
#include <string_view>

namespace warpgrade::emulator {
namespace {

void collect(const ptx::Operand& operand, std::vector<std::int32_t>& into) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::reg || (operand.kind == Kind::address && operand.has_reg)) {
    if (operand.reg >= 0) into.push_back(operand.reg);
  }
  if (operand.second >= 0) into.push_back(operand.second);  // `_|%p1` too
  for (const ptx::Operand& element : operand.elements) collect(element, into);
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) !=
         instruction.modifiers.end();
}

// Where the results of a call end: `call (results), callee, (arguments)` or `call callee, (arguments)`.
std::size_t results_of_call(const ptx::Instruction& call) {
  return !call.operands.empty() && call.operands[0].kind == ptx::Operand::Kind::vector ? 1 : 0;
}

}  // namespace

bool writes_first_operand(const ptx::Instruction& instruction) {
  static constexpr std::string_view kNone[] = {
      "st",         "red",       "bra",     "brx",          "exit",           "ret",     "trap",
      "brkpt",      "membar",    "fence",   "prefetch",     "prefetchu",      "discard", "applypriority",
      "cp",         "nanosleep", "pmevent", "stackrestore", "griddepcontrol", "sust",    "sured",
      "setmaxnreg", "stmatrix",  "call"};
  const std::string& op = instruction.opcode;
  if (std::find(std::begin(kNone), std::end(kNone), op) != std::end(kNone)) return false;
  if (op == "bar" || op == "barrier") return has(instruction, "red");
  if (op == "wmma") return !has(instruction, "store");
  if (op == "mbarrier")  // expect_tx and complete_tx alone have none; arrive.expect_tx has
    return has(instruction, "arrive") || has(instruction, "arrive_drop") || has(instruction, "test_wait") ||
           has(instruction, "try_wait") || has(instruction, "pending_count");
  return true;
}

RegistersUsed registers_used(const ptx::Instruction& instruction) {
  RegistersUsed used;
  if (instruction.guard >= 0) used.read.push_back(instruction.guard);
  const std::size_t results = instruction.opcode == "call"        ? results_of_call(instruction)
                              : writes_first_operand(instruction) ? 1
                                                                  : 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    const bool address = operand.kind == ptx::Operand::Kind::address;
    collect(operand, i < results && !address ? used.written : used.read);
  }
  return used;
}

}  // namespace warpgrade::emulator
