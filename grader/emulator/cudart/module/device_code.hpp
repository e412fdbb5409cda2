// Device code of a program: a fat binary or PTX text, parsed at the first use.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudart/runtime/error.hpp"
#include "fatbin/container.hpp"
#include "machine/program.hpp"

namespace warpgrade::cudart {

class DeviceCode;

// The kernel behind a cudaKernel_t, a cudaFunction_t or a registered host stub.
struct RegisteredFunction {
  DeviceCode* code = nullptr;
  std::string name;
  int max_dynamic_shared = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize, 0: not asked for
  int carveout = -1;
  std::optional<bool> has_system_fence;  // cache of has_system_fence()
};

class DeviceCode {
 public:
  // Reads the containers that a compiler-made wrapper points to; they live as long as the program. Several
  // containers, made with -rdc=true, are linked.
  static std::unique_ptr<DeviceCode> embedded(std::vector<const void*> containers, std::string origin);
  // Reads a copy of the bytes; `origin` names them in messages ("kernel.fatbin").
  static std::unique_ptr<DeviceCode> copied(std::string bytes, std::string origin);
  // Code that can never run; using it fails with `why`.
  static std::unique_ptr<DeviceCode> refused(cudaError_t code, std::string why);

  // Parses the code and places its variables at the first call. Throws Failure; prints the reason only once.
  emulator::Program& program(emulator::DeviceMemory& memory, int compute_capability);
  // Makes accesses to shared memory count as in the machine code beside the PTX, if there is code that this
  // device would run. Call it after program().
  void use_machine_widths(int compute_capability);
  void unload() { program_.reset(); }
  bool loaded() const { return program_ != nullptr; }

  // The handle of a kernel, the same one for each call. kernel() finds out whether the kernel exists.
  RegisteredFunction& function(const std::string& name);
  const emulator::KernelInfo* kernel(const RegisteredFunction& function, emulator::DeviceMemory& memory,
                                     int compute_capability);

  const std::string& origin() const { return origin_; }
  int ptx_version() const { return ptx_version_; }  // 75 for sm_75; 0 before it is loaded

 private:
  explicit DeviceCode(std::string origin) : origin_(std::move(origin)) {}
  std::vector<std::vector<fatbin::Entry>> parts() const;  // the entries of each container
  void load(emulator::DeviceMemory& memory, int compute_capability);

  std::string origin_;
  std::vector<const void*> containers_;  // or
  std::string bytes_;
  Failure broken_{cudaSuccess, {}};
  int ptx_version_ = 0;
  std::unique_ptr<emulator::Program> program_;
  std::map<std::string, std::unique_ptr<RegisteredFunction>> functions_;
};

// PTX for a GPU older than nvcc can compile for still runs: those are imitated for their limits only.
int ptx_architecture(int compute_capability);

}  // namespace warpgrade::cudart
