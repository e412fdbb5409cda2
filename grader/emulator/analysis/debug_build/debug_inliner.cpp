#include "analysis/debug_build/debug_inliner.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/debug_build/debug_calls.hpp"
#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "isa/attribute.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;
using Body = std::vector<ptx::Instruction>;

constexpr std::size_t kLongestInlined = 64;  // instructions of a function
constexpr std::size_t kMostAdded = 200000;   // instructions of a module

// `st.param.b32 [param0+4], %r1` and `ld.param.b32 %r1, [param0+4]`.
struct Passed {
  std::string variable;
  std::int64_t offset = 0;
  int bytes = 0;
};

std::optional<Passed> passed(const ptx::Instruction& i, Opcode opcode, std::size_t place) {
  if (i.opcode != opcode || i.guard >= 0 || i.modifiers.size() != 2 || i.modifiers[0] != Modifier::param ||
      i.operands.size() != 2)
    return {};
  const ptx::Operand& at = i.operands[place];
  if (at.kind != Kind::address || at.has_reg || i.operands[1 - place].kind == Kind::vector) return {};
  return Passed{at.symbol, at.offset, ptx::size_in_bytes(ptx::type_of(i.modifiers[1]))};
}
std::optional<Passed> stored(const ptx::Instruction& i) { return passed(i, Opcode::st, 0); }
std::optional<Passed> loaded(const ptx::Instruction& i) { return passed(i, Opcode::ld, 1); }

using Value = std::pair<Passed, ptx::Operand>;
using Values = std::vector<Value>;

const Value* find_value(const Values& values, const Passed& wanted) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const Value& each) {
    return each.first.variable == wanted.variable && each.first.offset == wanted.offset &&
           each.first.bytes >= wanted.bytes;
  });
  return found == values.end() ? nullptr : &*found;
}

// Replaces a load of a parameter by a mov of the stored value, or by a cvt to its low bytes where the load is
// narrower than the store.
ptx::Instruction take(const ptx::Instruction& load, const Value& from) {
  const auto& [store, value] = from;
  const int bytes = loaded(load)->bytes, stored = store.bytes;
  ptx::Instruction out = load;
  out.operands[1] = value;
  if (bytes < stored && value.kind == Kind::integer)
    out.operands[1].bits = value.bits & ((std::uint64_t{1} << 8 * bytes) - 1);
  const bool narrows = bytes < stored && value.kind != Kind::integer;
  const auto bits = [](int size) { return std::to_string(8 * size); };
  out.set_form(narrows ? "cvt.u" + bits(bytes) + ".u" + bits(stored) : "mov.b" + bits(bytes));
  return out;
}

// An unguarded jump to the next instruction.
bool jumps_to_next(const ptx::Instruction& i, std::size_t at) {
  return i.opcode == Opcode::bra && i.guard < 0 && i.operands.size() == 1 &&
         i.operands[0].offset == static_cast<std::int64_t>(at) + 1;
}

bool runs_straight(const ptx::Function& function) {
  const Body& body = function.instructions;
  if (body.empty() || body.size() > kLongestInlined || body.back().opcode != Opcode::ret ||
      body.back().guard >= 0)
    return false;
  const auto is_passed = [](const ptx::Variable& each) { return each.space == ptx::Space::param; };
  if (!function.prototypes.empty() || uses_alloca(function) ||
      !std::all_of(function.variables.begin(), function.variables.end(), is_passed))
    return false;
  for (std::size_t i = 0; i + 1 < body.size(); ++i)
    if (ends_block(body[i]) && body[i].opcode != Opcode::call && !jumps_to_next(body[i], i)) return false;
  return true;
}

// Propagates constants into masks, barrier numbers and operands of atomics: the checks treat constants
// differently from values that are only known at run time.
void propagate_constants(std::span<ptx::Instruction> straight) {
  std::unordered_map<std::int32_t, ptx::Operand> known;  // indexed by register
  for (ptx::Instruction& each : straight) {
    const bool moves = each.opcode == Opcode::mov && each.operands.size() == 2;
    const bool asks = moves || each.opcode == Opcode::atom ||
                      isa::is_any(each, isa::Attribute::barrier | isa::Attribute::member_mask);
    for (std::size_t o = writes_first_operand(each) ? 1 : 0; asks && o < each.operands.size(); ++o)
      if (const auto found = known.find(each.operands[o].reg);
          each.operands[o].kind == Kind::reg && found != known.end())
        each.operands[o] = found->second;
    for (const std::int32_t written : registers_used(each).written) known.erase(written);
    if (moves && each.guard < 0 && each.operands[1].kind == Kind::integer &&
        each.operands[0].kind == Kind::reg)
      known.emplace(each.operands[0].reg, each.operands[1]);
  }
}

class Inlining {
 public:
  explicit Inlining(ptx::Module& module) : module_(module), visited_(module.functions.size(), false) {
    for (std::size_t f = 0; f < module.functions.size(); ++f)
      if (is_toolkit_function(module, module.functions[f])) candidates_.emplace(module.functions[f].name, f);
  }

  void run() {
    if (candidates_.empty()) return;
    for (std::size_t f = 0; f < module_.functions.size(); ++f) visit(f);
  }

 private:
  // The instructions [first, end) of the caller: stores of the arguments, the call at `at`, loads of the
  // results.
  struct Call {
    std::size_t first = 0, at = 0, end = 0;
    std::size_t callee = 0;
    Values values;                               // values of the callee's parameters, the last store first
    std::map<std::string, std::string> results;  // caller's variable → callee's result
  };

  // Inlines the calls in the callees first. A recursive function is already marked as visited when it is met
  // again, so its recursive call stays a call.
  void visit(std::size_t f) {
    if (visited_[f]) return;
    visited_[f] = true;
    if (module_.functions[f].is_declaration) return;
    std::vector<Call> calls;
    for (std::size_t i = 0; i < module_.functions[f].instructions.size(); ++i) {
      const ptx::Instruction& each = module_.functions[f].instructions[i];
      if (each.opcode != Opcode::call || each.guard >= 0) continue;
      const auto candidate = candidates_.find(called_name(each));
      if (candidate == candidates_.end() || candidate->second == f) continue;
      visit(candidate->second);
      if (auto call = understand(f, i, candidate->second)) calls.push_back(std::move(*call));
    }
    if (!calls.empty()) replace(f, calls);
  }

  static std::vector<std::string> names(const ptx::Operand& list) {
    std::vector<std::string> out;
    for (const ptx::Operand& each : list.elements) out.push_back(each.symbol);
    return out;
  }

  std::optional<Call> understand(std::size_t f, std::size_t at, std::size_t callee) {
    const Body& body = module_.functions[f].instructions;
    const ptx::Function& called = module_.functions[callee];
    if (!runs_straight(called) || added_ + called.instructions.size() > kMostAdded) return {};
    Call call{at, at, at + 1, callee, {}, {}};
    std::size_t next = 0;
    const auto& operands = body[at].operands;
    std::vector<std::string> results, arguments;
    if (operands[0].kind == Kind::vector) results = names(operands[next++]);
    if (++next < operands.size()) arguments = names(operands[next]);
    if (results.size() != called.results.size() || arguments.size() != called.parameters.size()) return {};
    for (; call.first > 0 && stored(body[call.first - 1]); --call.first) {
      const Passed value = *stored(body[call.first - 1]);
      const auto argument = std::find(arguments.begin(), arguments.end(), value.variable);
      if (argument == arguments.end()) break;
      const auto& parameter = called.parameters[static_cast<std::size_t>(argument - arguments.begin())];
      call.values.push_back({{parameter.name, value.offset, value.bytes}, body[call.first - 1].operands[1]});
    }
    for (std::size_t r = 0; r < results.size(); ++r) call.results.emplace(results[r], called.results[r].name);
    while (call.end < body.size() && loaded(body[call.end]) &&
           call.results.contains(loaded(body[call.end])->variable))
      ++call.end;
    return fits(call, module_.functions[f]) ? std::optional(std::move(call)) : std::nullopt;
  }

  // The register has the width of the load. Loads of single bytes extend, so they do not qualify.
  static bool fills_register(const ptx::Instruction& load, const ptx::Function& function) {
    const ptx::Operand& to = load.operands[0];
    return to.kind == Kind::reg && loaded(load)->bytes > 1 &&
           ptx::size_in_bytes(function.registers[static_cast<std::size_t>(to.reg)].type) ==
               loaded(load)->bytes;
  }

  // Each load of a parameter has a matching store before the call, and each load of a result one in the
  // callee.
  bool fits(const Call& call, const ptx::Function& caller) const {
    const ptx::Function& called = module_.functions[call.callee];
    Values returned;
    for (const ptx::Instruction& each : called.instructions) {
      const auto load = loaded(each), store = stored(each);
      if (load && is_of(called.parameters, load->variable)) {
        if (!fills_register(each, called) || find_value(call.values, *load) == nullptr) return false;
      } else if (store && is_of(called.results, store->variable)) {
        returned.emplace_back(*store, each.operands[1]);
      } else if (names_any(each, called.parameters) || names_any(each, called.results)) {
        return false;
      }
    }
    for (std::size_t i = call.at + 1; i < call.end; ++i)
      if (!fills_register(caller.instructions[i], caller) ||
          find_value(returned, wanted(call, caller.instructions[i])) == nullptr)
        return false;
    return true;
  }

  // The callee's result that the caller loads.
  static Passed wanted(const Call& call, const ptx::Instruction& load) {
    Passed out = *loaded(load);
    out.variable = call.results.at(out.variable);
    return out;
  }

  static bool is_of(const std::vector<ptx::Variable>& variables, const std::string& name) {
    return std::any_of(variables.begin(), variables.end(),
                       [&](const auto& each) { return each.name == name; });
  }
  static bool names_any(const ptx::Instruction& i, const std::vector<ptx::Variable>& variables) {
    const auto named = [&](const ptx::Operand& operand, const auto& self) -> bool {
      return (!operand.symbol.empty() && is_of(variables, operand.symbol)) ||
             std::any_of(operand.elements.begin(), operand.elements.end(),
                         [&](const ptx::Operand& each) { return self(each, self); });
    };
    return std::any_of(i.operands.begin(), i.operands.end(),
                       [&](const ptx::Operand& each) { return named(each, named); });
  }

  void replace(std::size_t f, const std::vector<Call>& calls) {
    Body old = std::move(module_.functions[f].instructions);
    Body body;
    std::vector<std::uint32_t> now(old.size() + 1);  // old index → new index
    auto call = calls.begin();
    for (std::size_t i = 0; i < old.size();) {
      now[i] = static_cast<std::uint32_t>(body.size());
      if (call == calls.end() || i != call->first) {
        body.push_back(std::move(old[i++]));
        continue;
      }
      std::fill(now.begin() + static_cast<std::ptrdiff_t>(i),
                now.begin() + static_cast<std::ptrdiff_t>(call->end), now[i]);
      put(module_.functions[f], *call, old, body);
      i = call++->end;
    }
    now[old.size()] = static_cast<std::uint32_t>(body.size());
    for (auto& [name, at] : module_.functions[f].labels) at = now[at];
    for (ptx::Instruction& each : body)
      for (ptx::Operand& operand : each.operands)
        if (operand.kind == Kind::label && module_.functions[f].labels.contains(operand.symbol))
          operand.offset = module_.functions[f].labels.at(operand.symbol);
    module_.functions[f].instructions = std::move(body);
  }

  // Adds the callee's registers and variables to the caller under new names, for each call.
  void put(ptx::Function& caller, const Call& call, const Body& old, Body& body) {
    const ptx::Function& called = module_.functions[call.callee];
    const auto first = static_cast<std::int32_t>(caller.registers.size());
    const std::string suffix = "$" + std::to_string(++copies_);
    for (ptx::Register each : called.registers) caller.registers.push_back({each.name + suffix, each.type});
    for (ptx::Variable each : called.variables) {
      each.name += suffix;
      caller.variables.push_back(std::move(each));
    }
    const auto rename = [&](ptx::Operand& operand, const auto& self) -> void {
      if (operand.reg >= 0) operand.reg += first;
      if (operand.second >= 0) operand.second += first;
      if (is_of(called.variables, operand.symbol)) operand.symbol += suffix;
      for (ptx::Operand& each : operand.elements) self(each, self);
    };
    const std::size_t begin = body.size();
    Values returned;
    for (std::size_t i = 0; i + 1 < called.instructions.size(); ++i) {
      ptx::Instruction each = called.instructions[i];
      if (each.opcode == Opcode::bra) continue;
      const auto load = loaded(each), store = stored(each);
      for (ptx::Operand& operand : each.operands) rename(operand, rename);
      if (each.guard >= 0) each.guard += first;
      each.location = inlined(each.location, old[call.at].location);
      const auto* value = load ? find_value(call.values, *load) : nullptr;
      if (value != nullptr)
        body.push_back(take(each, *value));
      else if (store && is_of(called.results, store->variable))
        returned.emplace(returned.begin(), *store, each.operands[1]);
      else
        body.push_back(std::move(each));
    }
    propagate_constants({body.begin() + static_cast<std::ptrdiff_t>(begin), body.end()});
    for (std::size_t i = call.at + 1; i < call.end; ++i)
      body.push_back(take(old[i], *find_value(returned, wanted(call, old[i]))));
    added_ += called.instructions.size();
  }

  // The location `place` with the location of the call as its inlined_at.
  std::int32_t inlined(std::int32_t place, std::int32_t call) {
    if (place < 0 || call < 0) return call;
    const auto [known, fresh] = places_.try_emplace({place, call}, -1);
    if (!fresh) return known->second;
    ptx::Location out = module_.locations[static_cast<std::size_t>(place)];
    out.inlined_at = out.inlined_at < 0 ? call : inlined(out.inlined_at, call);
    module_.locations.push_back(std::move(out));
    return places_[{place, call}] = static_cast<std::int32_t>(module_.locations.size()) - 1;
  }

  ptx::Module& module_;
  std::vector<bool> visited_;                                             // indexed by function
  std::unordered_map<std::string, std::size_t> candidates_;               // functions of the toolkit, by name
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> places_;  // indexed by place and call
  std::size_t copies_ = 0, added_ = 0;
};

}  // namespace

void inline_toolkit_functions(ptx::Module& module) { Inlining(module).run(); }

}  // namespace warpgrade::emulator
