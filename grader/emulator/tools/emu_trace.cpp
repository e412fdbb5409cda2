#include "emu_trace.hpp"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "cudart/device/gpu.hpp"
#include "findings/format_text.hpp"
#include "launch/instruction_trace.hpp"

namespace warpgrade {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

struct TraceArguments {
  std::string kernel;
  emulator::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t shared = 0;
  emulator::InstructionTraceRequest trace;
  std::vector<std::string> values;
};

std::uint32_t whole_number(const std::string& text) {
  std::size_t end = 0;
  const unsigned long value = text.empty() ? 0 : std::stoul(text, &end);
  if (text.empty() || end != text.size() || value > 0xffffffffu)
    throw std::runtime_error(text + " is not a number here");
  return static_cast<std::uint32_t>(value);
}

emulator::Dim3 three_numbers(const std::string& text, std::uint32_t otherwise) {
  emulator::Dim3 three{otherwise, otherwise, otherwise};
  std::istringstream words(text);
  std::string word;
  for (std::uint32_t* to : {&three.x, &three.y, &three.z})
    if (std::getline(words, word, ',')) *to = whole_number(word);
  return three;
}

TraceArguments read_words(const std::vector<std::string>& words) {
  TraceArguments arguments;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals),
                      value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "--kernel")
      arguments.kernel = value;
    else if (name == "--grid")
      arguments.grid = three_numbers(value, 1);
    else if (name == "--block")
      arguments.block = three_numbers(value, 1);
    else if (name == "--of")
      arguments.trace.block = three_numbers(value, 0);
    else if (name == "--shared")
      arguments.shared = whole_number(value);
    else if (name == "--warp")
      arguments.trace.warp = whole_number(value);
    else if (name == "--most")
      arguments.trace.most = whole_number(value);
    else if (word.starts_with("--"))
      throw std::runtime_error(word + " is not an option of --dump=trace; see emu --help");
    else
      arguments.values.push_back(word);
  }
  return arguments;
}

const emulator::KernelInfo* choose(const emulator::Program& program, const std::string& name) {
  const auto kernels = program.kernels();
  if (name.empty() && kernels.size() == 1) return kernels[0];
  if (const emulator::KernelInfo* found = program.find_kernel(name)) return found;
  std::string all;
  for (const emulator::KernelInfo* kernel : kernels) all += " " + kernel->name;
  throw std::runtime_error("say which with --kernel=NAME; there are:" + all);
}

// buffer:BYTES[:i32|f32]
std::uint64_t make_buffer(const std::string& argument, emulator::DeviceMemory& memory) {
  const std::size_t colon = argument.find(':', 7);
  const std::uint32_t bytes = whole_number(argument.substr(7, colon == argument.npos ? colon : colon - 7));
  const std::string kind = colon == argument.npos ? "" : argument.substr(colon + 1);
  emulator::Allocation* made = memory.allocate(bytes, emulator::Allocation::Kind::device, argument);
  if (!made) throw std::runtime_error(argument + ": there is not so much memory");
  std::byte* at = made->data();
  std::memset(at, 0, bytes);
  for (std::uint32_t i = 0; !kind.empty() && i < bytes / 4; ++i) {
    const auto real = static_cast<float>(i);
    std::memcpy(at + 4 * i, kind == "f32" ? static_cast<const void*>(&real) : &i, 4);
  }
  if (!kind.empty() && kind != "f32" && kind != "i32") throw std::runtime_error(argument + ": i32 or f32");
  return made->base;
}

void put_value(const std::string& word, const emulator::Parameter& parameter, emulator::DeviceMemory& memory,
               std::byte* to) {
  if (word.starts_with("buffer:")) {
    const std::uint64_t address = make_buffer(word, memory);
    std::memcpy(to, &address, std::min<std::size_t>(8, parameter.bytes));
  } else if (word.find_first_of(".") != word.npos) {
    const double wide = std::stod(word);
    const auto narrow = static_cast<float>(wide);
    if (parameter.bytes == 8)
      std::memcpy(to, &wide, 8);
    else
      std::memcpy(to, &narrow, std::min<std::size_t>(4, parameter.bytes));
  } else {
    const long long value = std::stoll(word, nullptr, 0);
    std::memcpy(to, &value, std::min<std::size_t>(8, parameter.bytes));
  }
}

}  // namespace

int trace(ptx::Module module, const std::vector<std::string>& words) {
  const TraceArguments arguments = read_words(words);
  emulator::DeviceMemory memory(kMemory);
  const auto program = emulator::Program::load(std::move(module), memory);
  emulator::LaunchRequest request;
  request.kernel = choose(*program, arguments.kernel);
  request.grid = arguments.grid;
  request.block = arguments.block;
  request.dynamic_shared = arguments.shared;
  const auto& parameters = request.kernel->parameters;
  if (parameters.size() != arguments.values.size())
    throw std::runtime_error(request.kernel->name + " takes " + std::to_string(parameters.size()) +
                             " parameters, and there are " + std::to_string(arguments.values.size()) +
                             " values");
  std::vector<std::byte> bytes(request.kernel->parameter_bytes);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    put_value(arguments.values[i], parameters[i], memory, bytes.data() + parameters[i].offset);
  request.parameters = bytes;
  const emulator::LaunchResult result = emulator::trace_instructions(
      request, memory, cudart::limits(*cudart::find_gpu("h200")), arguments.trace, std::cout);
  std::fputs(result.output.c_str(), stdout);
  for (const emulator::Finding& finding : result.findings)
    std::fputs(emulator::to_text(finding, request.kernel->name, false).c_str(), stderr);
  return result.status == emulator::LaunchStatus::success ? 0 : 1;
}

}  // namespace warpgrade
