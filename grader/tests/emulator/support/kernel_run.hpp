// Runs a kernel of grader/tests/fixtures/kernels and records what was observed.
#pragma once

#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "machine/launch.hpp"
#include "machine/observers.hpp"
#include "machine/program.hpp"
#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/checkout.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

namespace warpgrade::emulator {

inline std::string text_of(const std::string& path) {
  std::ifstream in(warpgrade::checkout() / path, std::ios::binary);
  if (!in) throw std::runtime_error(path + " is missing: make build/tests/emulator makes it");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The line of a kernel's source that ends with `// HERE mark`.
inline int line_of(const std::string& kernels, const std::string& mark) {
  std::istringstream in(text_of("grader/tests/fixtures/kernels/" + kernels + ".cu"));
  int number = 1;
  for (std::string line; std::getline(in, line); ++number)
    if (line.ends_with("// HERE " + mark)) return number;
  throw std::runtime_error("no line says HERE " + mark);
}

class KernelRun {
 public:
  explicit KernelRun(const std::string& kernels) : memory(std::size_t{256} << 20) {
    program = Program::load(ptx::parse(text_of("build/tests/kernels/" + kernels + ".ptx")), memory);
    options.threads = 1;
  }

  // Device memory, filled with `values`, all written.
  template <class T>
  std::uint64_t buffer(const std::vector<T>& values, const std::string& name = {}) {
    Allocation* made = memory.allocate(values.size() * sizeof(T), Allocation::Kind::device, name);
    std::memcpy(made->data(), values.data(), values.size() * sizeof(T));
    return made->base;
  }
  // Device memory that nothing has written.
  std::uint64_t raw(std::size_t bytes, const std::string& name = {}) {
    Allocation* made = memory.allocate(bytes, Allocation::Kind::device, name);
    made->written.assign((bytes + 7) / 8, 0);
    return made->base;
  }
  template <class T>
  std::vector<T> read(std::uint64_t at, std::size_t count) const {
    std::vector<T> out(count);
    std::memcpy(out.data(), memory.find(at)->at(at), count * sizeof(T));
    return out;
  }

  template <class... Arguments>
  const LaunchResult& launch(const std::string& name, Dim3 grid, Dim3 block, Arguments... arguments) {
    const KernelInfo* kernel = program->find_kernel(name);
    if (kernel == nullptr) throw std::runtime_error("no kernel " + name);
    std::vector<std::byte> parameters(kernel->parameter_bytes);
    std::size_t i = 0;
    ((std::memcpy(parameters.data() + kernel->parameters.at(i++).offset, &arguments, sizeof arguments)), ...);
    LaunchRequest request;
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    request.parameters = parameters;
    result = emulator::launch(request, memory, stage::h200(), options);
    return result;
  }
  std::uint64_t counter(Metric metric) const { return result.counters[metric]; }

  DeviceMemory memory;
  std::unique_ptr<Program> program;
  LaunchOptions options;
  LaunchResult result;
};

}  // namespace warpgrade::emulator
