// A loaded module: decoded functions, placed variables, and the side tables that findings need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine/memory/device_memory.hpp"
#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::fatbin {
struct Cubin;
}

namespace warpgrade::emulator {

// Where an instruction comes from. Key: DecodedInstruction::index, the ordinal of the PTX instruction
// over all functions of the module, which does not depend on the functions that have been decoded.
struct Origin {
  std::int32_t location = -1;  // into ptx::Module::locations
  const ptx::Instruction* ptx = nullptr;
  std::int32_t function = -1;
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0, bytes = 0, alignment = 1;
};

// A shared array that a kernel or a function that it may call declares.
struct SharedVariable {
  std::string name;          // ptx::Variable::name
  std::uint32_t offset = 0;  // in the block's shared memory
  std::uint32_t bytes = 0;   // 0: `extern` array, reaches to the end of the block's shared memory
};

struct KernelInfo {
  std::string name;
  std::int32_t function = -1;
  std::uint32_t static_shared = 0;    // bytes
  std::uint32_t reserved_shared = 0;  // bytes at the front that the system reserves; zero when a block starts
  std::uint32_t dynamic_begin = 0;    // offset of `extern` shared arrays: static_shared, aligned for them
  std::uint32_t local_bytes = 0;      // for each thread, without the frames of called functions
  std::vector<SharedVariable> shared;  // sorted by offset
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
  int max_threads = 1024;  // from .maxntid / .reqntid
  int registers = 0;       // estimate: highest number of live 32-bit registers
  const class Program* program = nullptr;
};

// Where the widths of a kernel's accesses to shared memory come from.
enum class MachineWidths : std::uint8_t { ptx, cubin, cubin_in_part };
constexpr std::uint8_t kAsWritten = 255;

// The machine code's accesses for one PTX access to shared memory.
struct AccessWidth {
  std::uint8_t bytes =
      kAsWritten;  // bytes that one lane moves at once; 0: merged into another instruction's access
  std::uint8_t times = 1, each = 1;  // `times` accesses for `each` executions of the PTX instruction
};

class Program {
 public:
  // Places the variables in `memory` and lays out the kernels; `memory` must outlive the program. Throws
  // ptx::ParseError for a name without a definition. A kernel's code is decoded at its first launch; an
  // instruction that the operation table lacks becomes a trap that names it, its PTX place and source line.
  static std::unique_ptr<Program> load(ptx::Module module, DeviceMemory& memory);
  ~Program();

  const KernelInfo* find_kernel(const std::string& name) const;
  // The placed module variable (global or const), null if there is none.
  Allocation* find_variable(const std::string& name) const;
  std::vector<const KernelInfo*> kernels() const;

  const ptx::Module& module() const;
  const Origin& origin(std::uint32_t index) const;
  std::uint32_t instruction_count() const;  // over all functions: indices are below it
  // "kernel.cu", 23 for an instruction: innermost place, file as the compiler wrote it.
  const ptx::Location* location(std::uint32_t index) const;

  // Makes accesses to shared memory count as ptxas compiled them. `machine`: the machine code; `ptx`: the
  // text that it was compiled from and that this module was parsed from. Call it before the first launch.
  void use_machine_widths(const fatbin::Cubin& machine, std::string_view ptx);
  AccessWidth access_width(std::uint32_t index) const;
  MachineWidths widths_from(const KernelInfo& kernel) const;

  struct Impl;  // machine/program_impl.hpp
  Impl& impl() const { return *impl_; }

 private:
  Program();
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpgrade::emulator
