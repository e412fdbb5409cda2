#include "symbols/source_locations.hpp"
#include "ptx/tree/toolkit_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

const std::string& file_name(const ptx::Module& module, int key) {
  static const auto& none = *new const std::string;
  const auto found = module.files.find(key);
  return found == module.files.end() ? none : found->second;
}

const ptx::Location* parent(const ptx::Module& module, const ptx::Location& of) {
  const auto count = static_cast<int>(module.locations.size());
  return of.inlined_at >= 0 && of.inlined_at < count ? &module.locations[of.inlined_at] : nullptr;
}

// A submission names its own files (#line), so only what looks like source is ever read: a data set or a
// key must not end up in a report.
bool is_source(std::string_view file) {
  constexpr std::array<std::string_view, 8> ends = {".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".inl"};
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return file.ends_with(end); });
}

// Whole files, because a launch's findings cluster on a few lines of one. 4 MiB of text at most.
const std::vector<std::string>& lines_of(const std::string& file) {
  static auto& cache = *new std::map<std::string, std::vector<std::string>>;  // the last reports need it
  const auto [at, fresh] = cache.try_emplace(file);
  if (!fresh || !is_source(file)) return at->second;
  std::ifstream in(file, std::ios::binary);
  std::size_t left = std::size_t{4} << 20;
  for (std::string line; std::getline(in, line) && line.size() < left; left -= line.size() + 1) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    at->second.push_back(line);
  }
  return at->second;
}

std::string space_name(const ptx::Instruction& instruction) {
  switch (instruction.space()) {
    case ptx::Space::global:
      return "global";
    case ptx::Space::shared:
      return "shared";
    case ptx::Space::local:
      return "local";
    case ptx::Space::constant:
      return "const";
    case ptx::Space::param:
      return "param";
    default:
      return "generic";
  }
}

// The one call of the function that an instruction is in; none if there are several.
std::optional<std::uint32_t> only_call(const Program& program, std::uint32_t instruction) {
  const std::int32_t function = program.origin(instruction).function;
  if (function < 0) return {};
  const std::string& name = program.module().functions[static_cast<std::size_t>(function)].name;
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < program.instruction_count(); ++i) {
    const ptx::Instruction* each = program.origin(i).ptx;
    if (each == nullptr || each->opcode != Opcode::call) continue;
    const auto calls = [&](const ptx::Operand& operand) {
      return operand.kind == ptx::Operand::Kind::symbol && operand.symbol == name;
    };
    if (std::none_of(each->operands.begin(), each->operands.end(), calls)) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

// A loop that nvcc generates for memcpy() or memset() has line 0: it gets the line of the code before it.
const ptx::Location* written_location(const Program& program, std::uint32_t instruction) {
  const ptx::Location* at = program.location(instruction);
  const std::int32_t function = program.origin(instruction).function;
  for (std::uint32_t i = instruction; at != nullptr && at->line < 1 && i-- > 0;) {
    if (program.origin(i).function != function) break;
    at = program.location(i);
  }
  return at;
}

// The innermost place outside the toolkit's headers; where there is none, the outermost within the function.
const ptx::Location* place_in_function(const Program& program, std::uint32_t instruction) {
  const ptx::Module& module = program.module();
  const ptx::Location* at = written_location(program, instruction);
  // Hand-written PTX may contain a chain that loops: limit its length.
  for (int steps = 0; steps < 64 && at != nullptr && ptx::is_toolkit_file(file_name(module, at->file));
       ++steps) {
    const ptx::Location* from = parent(module, *at);
    if (from == nullptr) break;
    at = from;
  }
  return at;
}

}  // namespace

// In -G builds functions of the toolkit are called: an error in atomicAdd() is placed at its call.
SourcePlace place_of(const Program& program, std::uint32_t instruction) {
  const ptx::Module& module = program.module();
  const ptx::Location* at = place_in_function(program, instruction);
  for (int calls = 0; calls < 8 && (at == nullptr || ptx::is_toolkit_file(file_name(module, at->file)));
       ++calls) {
    const std::optional<std::uint32_t> from = only_call(program, instruction);
    if (!from) break;
    instruction = *from;
    at = place_in_function(program, instruction);
  }
  if (at == nullptr) return {};
  SourcePlace out{file_name(module, at->file), at->line, at->column, {}};
  if (const ptx::Location* from = parent(module, *at))
    out.inlined_at = file_name(module, from->file) + ":" + std::to_string(from->line);
  return out;
}

std::string access_name(const Program& program, std::uint32_t instruction) {
  const ptx::Instruction* ptx = program.origin(instruction).ptx;
  if (ptx == nullptr) return "access";
  const Opcode opcode = ptx->opcode;
  if (opcode == Opcode::bra || opcode == Opcode::brx) return "branch";
  if (opcode == Opcode::match) return "match";
  const char* verb = opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::ldmatrix ? "load"
                     : opcode == Opcode::st                                                      ? "store"
                     : opcode == Opcode::atom || opcode == Opcode::red                           ? "atomic"
                     : opcode == Opcode::cp ? "asynchronous copy"
                                            : "access";
  return space_name(*ptx) + " " + verb;
}

std::string source_line(const std::string& file, int line) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (file.empty() || line < 1) return {};
  const std::vector<std::string>& lines = lines_of(file);
  return static_cast<std::size_t>(line) <= lines.size() ? lines[line - 1] : std::string{};
}

void resolve(Site& site, const Program& program) {
  SourcePlace place = place_of(program, site.instruction);
  site.source = source_line(place.file, place.line);
  site.file = std::move(place.file);
  site.line = place.line;
  site.column = place.column;
  site.inlined_at = std::move(place.inlined_at);
}

void resolve(Finding& finding, const Program& program) {
  resolve(finding.site, program);
  if (finding.has_other) resolve(finding.other, program);
  if (finding.has_writer) resolve(finding.writer, program);
  if (finding.has_left) resolve(finding.left, program);
  for (ThreadPosition& each : finding.standing) resolve(each.site, program);
}

}  // namespace warpgrade::emulator
