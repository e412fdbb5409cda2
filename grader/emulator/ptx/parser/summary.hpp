// What the grader checks in a PTX text before ptxas assembles it.
//
// Inline assembly can put any text into PTX. So this reads tokens instead of the syntax tree: it needs memory
// in proportion to the text, whatever sizes the text declares, and it also describes a text that parse()
// refuses, whose errors ptxas then reports.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade::ptx {

struct KernelSignature {
  std::string name;
  std::vector<std::string> parameters;  // types: "u64", "b8[24]"
};

// An instruction and the line, from 1, on which it begins.
struct FoundInstruction {
  std::string form;  // "mma.sync.aligned.m16n8k8"
  int line = 0;
};

struct Summary {
  std::vector<KernelSignature> kernels;  // in the order of the text
  // Kernels with a call, if a .func has a body: machine code does not show how often that runs.
  std::vector<std::string> callers;
  // Bytes of the module's variables in global memory. A size that is not a plain decimal number counts as
  // 2^62. A sum that exceeds 2^64 - 1 becomes 2^64 - 1.
  std::uint64_t global_bytes = 0;
  std::optional<FoundInstruction> tensor;   // first instruction for tensor cores
  std::optional<FoundInstruction> texture;  // first instruction that needs a texture or a surface
  // Instructions by opcode with its modifiers, "atom.global.add.f32". A text that ptxas refuses may have
  // words here that are not opcodes.
  std::map<std::string, std::uint64_t> opcodes;
  bool has_preprocessor_line = false;  // such as `# 3 "file"`: ptxas accepts some of them
};

// Never throws, whatever the text.
Summary summarize(std::string_view text);

// A .loc directive: the instructions that follow it come from this source line.
struct LocDirective {
  int ptx_line = 0;  // from 1
  std::uint64_t file = 0;
  std::uint64_t line = 0;
};

struct SourceLocations {
  std::map<std::uint64_t, std::string>
      files;                       // indexed by the number in a .file directive; the last one counts
  std::vector<LocDirective> locs;  // in the order of the text
};

// The .file and .loc directives whose numbers have at most nine digits. Never throws.
SourceLocations source_locations(std::string_view text);

// The text with each comment of several lines replaced by as many line ends, nullopt if there is no such
// comment. fatbinary drops these lines, and ptxas counts them.
std::optional<std::string> without_long_comments(std::string_view text);

// Whether two texts have the same tokens on the same lines.
bool same_tokens(std::string_view one, std::string_view other);

// A hash of the tokens in front of the first .section, without .loc and .file directives: two texts with the
// same code have the same.
std::uint64_t code_hash(std::string_view text);

}  // namespace warpgrade::ptx
