// A loaded module: decoded functions, placed variables, and the side tables that findings need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/device_memory.hpp"
#include "exec/warp.hpp"
#include "ptx/module.hpp"

namespace warpgrade::exec {

// Where an instruction comes from. Index = Instruction::index.
struct Origin {
  std::int32_t location = -1;       // into ptx::Module::locations
  const ptx::Instruction* ptx = nullptr;  // null for an instruction that the decoder added
  std::int32_t function = -1;
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0, bytes = 0, alignment = 1;
};

struct Kernel {
  std::string name;
  std::int32_t function = -1;
  std::uint32_t entry = 0;            // index into Program::code
  std::uint32_t frame_bytes = 0;
  std::uint32_t static_shared = 0;    // bytes
  std::uint32_t local_bytes = 0;      // for each thread
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
  int max_threads = 1024;             // from .maxntid / .reqntid
  int registers = 0;                  // estimate: highest number of live 32-bit registers
  const class Program* program = nullptr;
};

class Program {
 public:
  // Decodes all functions and places variables in `memory`. Throws ptx::ParseError for an
  // instruction that the operation table lacks, with its PTX place and the source line.
  static std::unique_ptr<Program> load(ptx::Module module, DeviceMemory& memory);
  ~Program();

  const Kernel* find_kernel(const std::string& name) const;
  // The placed module variable (global or const), null where there is none.
  Allocation* find_variable(const std::string& name) const;
  std::vector<const Kernel*> kernels() const;

  const ptx::Module& module() const;
  const Origin& origin(std::uint32_t index) const;
  // "kernel.cu", 23 for an instruction: innermost place, file as the compiler wrote it.
  const ptx::Location* location(std::uint32_t index) const;

 private:
  friend class Loader;
  Program();
  struct Impl;
  std::unique_ptr<Impl> impl_;

 public:
  Impl& impl() const { return *impl_; }  // exec/ only
};

}  // namespace warpgrade::exec
