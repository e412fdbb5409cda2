// The syntax tree of one PTX module: names are resolved to indices, nothing is interpreted yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/tree/modifier.hpp"
#include "ptx/tree/opcode.hpp"
#include "ptx/tree/type.hpp"

namespace warpgrade::ptx {

// A position in the PTX text; line and column are counted from 1.
struct TextPosition {
  int line = 0;
  int column = 0;
};

// A source location, from a `.loc` directive. `inlined_at` is the index in
// Module::locations of the call site into which it was inlined, -1 if there is none.
struct Location {
  int file = 0;  // key of Module::files
  int line = 0;
  int column = 0;
  int inlined_at = -1;
  std::string function;  // name after `function_name`, empty if the directive has none
};

// One virtual register of a function. Scopes are flattened: two registers of one name in two
// scopes are two entries.
struct Register {
  std::string name;
  Type type = Type::none;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,      // %r1, `!%p1` with negated; the selector of `%r1.b0` (video instructions) is in `symbol`
    special,  // %tid.x: the name with its suffix is in `symbol`
    integer,  // 42, 0x10, WARP_SZ, folded constant expressions: two's complement in `bits`
    real,     // 0f3F800000 (width 32), 0d… or a decimal literal (width 64): raw bits in `bits`
    symbol,   // the address of a variable or function, plus `offset`
    address,  // [%rd1+8] (has_reg), [name+8] (symbol), [64] (neither); textures and tensor copies,
              // `[%rd1, {%f1, %f2}]`: `elements` has what stands between the commas, the base too
    vector,   // {%f1, %f2, _, 0f00000000}: `elements`; also argument lists (%r1, param0)
    label,    // branch target: name in `symbol`, instruction index in `offset` once resolved
    sink,     // _ (`_|%p1` has its second)
  };
  Kind kind = Kind::sink;
  bool negated = false;
  bool has_reg = false;      // address: base is `reg`, otherwise `symbol`
  int width = 0;             // real: 32 or 64
  std::int32_t reg = -1;     // index into Function::registers
  std::int32_t second = -1;  // `%p1|%p2`: the register after the bar
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string symbol;  // fully resolved: see Variable::name
  std::vector<Operand> elements;
  TextPosition place;
};

struct Instruction {
  // Set by set_form(). Words that opcodes.def or modifiers.def lacks are `unknown`; form() keeps their text.
  Opcode opcode = Opcode::unknown;
  std::vector<Modifier> modifiers;  // in the order of the text
  std::vector<Operand> operands;    // as written; the guard is not among them
  std::int32_t guard = -1;          // index of the predicate register, -1: unguarded
  bool guard_negated = false;
  std::int32_t location = -1;         // index into Module::locations
  std::uint64_t used_bytes_mask = 0;  // from `.pragma "used_bytes_mask …"`, 0 if absent
  TextPosition place;

  void set_form(std::string form);
  const std::string& form() const { return form_; }     // "ld.global.nc.v4.f32"
  std::string_view modifier_text(std::size_t n) const;  // the n-th modifier as written
  bool has(Modifier modifier) const { return set_.test(static_cast<std::size_t>(modifier)); }
  bool has_any(std::initializer_list<Modifier> of) const;
  Type type() const;       // the type that the last modifier names, or Type::none
  Space space() const;     // the first space that a modifier names, or generic
  bool is_strong() const;  // a memory order is written: volatile, relaxed, acquire …

 private:
  std::string form_;
  ModifierSet set_;
};

// An address in an initial value: `bytes` of (address of symbol + addend) at `offset`,
// shifted right by `shift` bits (mask() operator on parts of an address).
struct Relocation {
  std::size_t offset = 0;
  int bytes = 8;
  std::string symbol;
  std::int64_t addend = 0;
  int shift = 0;
  bool generic = false;  // generic(symbol)
};

struct Variable {
  std::string name;  // in a function body: made unique as "function::name" (".1" and so on for inner scopes)
  Space space = Space::none;
  Type type = Type::none;
  std::size_t alignment = 1;
  std::size_t bytes = 0;              // 0 for `extern .shared` arrays of unknown size
  std::vector<std::uint8_t> initial;  // `bytes` of them, or empty: zero (global, const)
  std::vector<Relocation> relocations;
  bool is_extern = false;
  bool visible = false;
  bool managed = false;  // .attribute(.managed)
  bool weak = false;     // the linker keeps the first of several weak definitions
  TextPosition place;
};

// `.callprototype`: what an indirect call passes. Names are as written, usually "_".
struct Prototype {
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // extern, or a forward declaration
  bool noreturn = false;
  bool visible = false;  // to the modules that it is linked with
  bool weak = false;
  std::vector<Variable> parameters;  // in declaration order; names as "function::param"
  std::vector<Variable> results;     // return parameters of a .func
  std::vector<Register> registers;
  std::vector<Variable> variables;  // .shared, .local, .param of the body and its scopes
  std::vector<Instruction> instructions;
  // → index of the instruction after it. A name that an inner scope uses again is "name.1" and so on,
  // here, in the operands and in branch_targets.
  std::unordered_map<std::string, std::uint32_t> labels;
  std::unordered_map<std::string, std::vector<std::string>> branch_targets;  // .branchtargets / .calltargets
  std::unordered_map<std::string, Prototype> prototypes;  // .callprototype, the last operand of a call
  int max_threads[3] = {0, 0, 0};                         // .maxntid, 0 if absent
  int required_threads[3] = {0, 0, 0};                    // .reqntid
  int min_blocks = 0;                                     // .minnctapersm
  int max_registers = 0;                                  // .maxnreg
  int cluster[3] = {0, 0, 0};                             // .reqnctapercluster
  TextPosition place;
};

// One section of the debug information (DWARF). Addresses in it are labels, which its reader resolves.
struct DebugSection {
  // `bytes` of (symbol − minus + addend) at `offset`.
  struct Reference {
    std::size_t offset = 0;
    int bytes = 8;
    std::string symbol, minus;
    std::int64_t addend = 0;
  };
  std::string content;                                  // with zeros where references are
  std::vector<Reference> references;                    // sorted by offset
  std::unordered_map<std::string, std::size_t> labels;  // → offset
};

struct Module {
  int version_major = 0, version_minor = 0;
  int target = 0;  // 75 for sm_75
  std::string target_name;
  int address_size = 64;
  std::vector<Variable> variables;  // module scope: global, const, shared, extern shared
  std::vector<Function> functions;  // without declarations of functions that are defined
  std::vector<Location> locations;
  std::unordered_map<int, std::string> files;            // .file, may come after its use
  std::unordered_map<std::string, std::string> aliases;  // .alias; operands name the aliasee already
  // By name without the dot: those of a build with -G that say where variables are.
  std::unordered_map<std::string, DebugSection> debug;
  const Function* find_function(const std::string& name) const;
};

}  // namespace warpgrade::ptx
