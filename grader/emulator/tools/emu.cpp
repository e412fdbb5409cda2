// emu: shows each stage of the emulator for one file. For people who work on the emulator.
#include <cstdio>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "decode/kernel.hpp"
#include "emu_json.hpp"
#include "emu_trace.hpp"
#include "fatbin/container.hpp"
#include "findings/suppressions.hpp"
#include "isa/fidelity.hpp"
#include "machine/program_impl.hpp"
#include "ops/memory/access_path.hpp"
#include "ptx/parser/parser.hpp"
#include "ptx/tree/dump.hpp"

namespace {

namespace emulator = warpgrade::emulator;
namespace fatbin = warpgrade::fatbin;
namespace ptx = warpgrade::ptx;

constexpr const char* kUsage =
    "usage: emu FILE.fatbin|FILE.ptx --dump=WHAT [options]\n"
    "       emu --dump=fidelity\n"
    "what there is to see of a file:\n"
    "  tree     the syntax tree\n"
    "  decoded  the instructions that are run, and the slots of their operands\n"
    "  memory   the path of each load and store: general, contiguous or affine "
    "(docs/memory-access-paths.md)\n"
    "  cfg      basic blocks, where they lead and in which order diverged lanes run them\n"
    "  forms    each PTX form that occurs, and how often\n"
    "  missing  what would trap when it runs, and why\n"
    "  trace    launches a kernel and writes what one warp does, with the values it reads and writes\n"
    "  suppressions  the rules of a file of suppressions, each with its line\n"
    "and of the emulator:\n"
    "  fidelity each form of the operation table, its section in the PTX ISA, what it was compared with\n";
constexpr const char* kExitCodes =
    "exit codes: 0 done, 1 the file is not what it should be or the launch failed, 2 wrong usage\n";

constexpr int kNewest = 1000;  // the newest PTX in the file, whatever it is for
constexpr std::size_t kMemory = std::size_t{1} << 30;

ptx::Module load(const std::string& path) {
  const std::string bytes = warpgrade::read_file(path);
  const auto entries = fatbin::read(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return ptx::parse(fatbin::choose_ptx(entries, kNewest).payload);
}

void dump_forms(const ptx::Module& module) {
  std::map<std::string, int> count;
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& each : function.instructions) ++count[each.form()];
  for (const auto& [form, times] : count) std::printf("%7d  %s\n", times, form.c_str());
}

void dump_missing(const emulator::Program& program) {
  std::map<std::string, int> count;
  for (const emulator::KernelInfo* kernel : program.kernels()) {
    const auto code = emulator::decode_kernel(program.impl(), *kernel, {});
    for (const std::string& message : code->unsupported) ++count[message];
  }
  for (const auto& [message, times] : count) std::printf("%7d  %s\n", times, message.c_str());
}

void dump_flow(const ptx::Function& function) {
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  std::printf("%s\n", function.name.c_str());
  for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
    const emulator::BasicBlock& block = flow.blocks[i];
    std::printf("  block %zu: instructions %u to %u, order %u", i, block.first, block.end - 1, block.order);
    if (block.loop >= 0) std::printf(", loop %d", block.loop);
    std::printf(", leads to");
    for (const std::uint32_t successor : block.successors) std::printf(" %u", successor);
    std::printf("%s\n", block.successors.empty() ? " nothing" : "");
  }
}

// The instruction that it points to, or the number; nothing for 0.
std::string immediate(const emulator::Code& code, std::uint64_t value) {
  const std::uint64_t offset = value - reinterpret_cast<std::uint64_t>(code.instructions.data());
  if (offset < code.instructions.size() * sizeof(emulator::DecodedInstruction))
    return "→ " + std::to_string(offset / sizeof(emulator::DecodedInstruction));
  return value == 0 ? "" : "#" + std::to_string(value);
}

void dump_decoded(const emulator::Program& program, const emulator::KernelInfo& kernel) {
  const auto code = emulator::decode_kernel(program.impl(), kernel, {});
  std::printf("%s: %zu instructions, %u bytes of registers, %u of local memory a thread\n",
              kernel.name.c_str(), code->instructions.size(), code->functions.front().frame.bytes,
              code->local_bytes);
  for (std::size_t i = 0; i < code->instructions.size(); ++i) {
    const emulator::DecodedInstruction& at = code->instructions[i];
    std::printf("%5zu", i);
    for (const std::uint32_t slot : at.operand)
      if (slot != emulator::kNoOperand) std::printf(" %6u", slot);
    if (const std::string text = immediate(*code, at.immediate); !text.empty())
      std::printf("  %s", text.c_str());
    const emulator::Origin& origin = program.origin(at.index);
    if (origin.ptx != nullptr)
      std::printf("  ; %s", ptx::dump(*origin.ptx,
                                      program.module().functions[static_cast<std::size_t>(origin.function)])
                                .c_str());
    std::printf("\n");
  }
}

void dump_memory(const emulator::Program& program, const emulator::KernelInfo& kernel) {
  const auto code = emulator::decode_kernel(program.impl(), kernel, {});
  std::printf("%s\n", kernel.name.c_str());
  for (const emulator::DecodedInstruction& at : code->instructions) {
    const emulator::AccessPath path = emulator::access_path(at);
    const emulator::Origin& origin = program.origin(at.index);
    if (path == emulator::AccessPath::none || origin.ptx == nullptr) continue;
    const ptx::Location* location = program.location(at.index);
    std::printf("  line %5d  %-10s  %s\n", location == nullptr ? 0 : location->line, emulator::name(path),
                ptx::dump(*origin.ptx, program.module().functions[static_cast<std::size_t>(origin.function)])
                    .c_str());
  }
}

bool dump(const std::string& what, ptx::Module module) {
  if (what == "tree") {
    std::fputs(ptx::dump(module).c_str(), stdout);
  } else if (what == "forms") {
    dump_forms(module);
  } else if (what == "cfg") {
    for (const ptx::Function& function : module.functions)
      if (!function.is_declaration) dump_flow(function);
  } else if (what == "decoded" || what == "memory" || what == "missing") {
    emulator::DeviceMemory memory(kMemory);
    const auto program = emulator::Program::load(std::move(module), memory);
    if (what == "missing") {
      dump_missing(*program);
      return true;
    }
    for (const emulator::KernelInfo* kernel : program->kernels())
      (what == "memory" ? dump_memory : dump_decoded)(*program, *kernel);
  } else {
    return false;
  }
  return true;
}

void print_usage(std::FILE* to) {
  std::fputs(kUsage, to);
  std::fputs(warpgrade::kTraceUsage, to);
  std::fputs(warpgrade::kJsonUsage, to);
  std::fputs(kExitCodes, to);
}

void dump_suppressions(const std::string& file) {
  for (const emulator::Suppression& each : emulator::read_suppressions(file))
    std::printf("%s: %s %s %s: %s\n", each.place.c_str(), each.kind.c_str(), each.function.c_str(),
                each.file.c_str(), each.reason.c_str());
}

int run(const std::vector<std::string>& words) {
  const std::string option = "--dump=";
  if (words.size() == 1 && words[0] == option + "fidelity") {
    warpgrade::isa::print_fidelity(std::cout);
    return 0;
  }
  if (words.size() == 1 && (words[0] == "--help" || words[0] == "-h")) {
    print_usage(stdout);
    return 0;
  }
  if (words.size() >= 2 && words[1].starts_with(option)) {
    const std::string &file = words[0], what = words[1].substr(option.size());
    const std::vector<std::string> others(words.begin() + 2, words.end());
    if (warpgrade::dump_json(file, what, others)) return 0;
    if (what == "suppressions") return dump_suppressions(file), 0;
    if (what == "trace") return warpgrade::trace(load(file), others);
    if (others.empty() && dump(what, load(file))) return 0;
  }
  print_usage(stderr);
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    return run(words);
  } catch (const emulator::SuppressionError& error) {  // names the file
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::exception& error) {
    const std::string place = words.size() > 1 ? words[0] + ": " : "";
    std::fprintf(stderr, "emu: %s%s\n", place.c_str(), error.what());
  }
  return 1;
}
