// The private state of a Program, for the rooms that build and run its code.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "machine/kernel_code.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {

struct Program::Impl {
  ptx::Module module;
  DeviceMemory* memory = nullptr;
  const Program* program = nullptr;

  std::unordered_map<std::string, std::int32_t> functions;  // index in module.functions, by name
  std::vector<std::uint32_t> first_index;  // indexed by function: DecodedInstruction::index of its first
  std::vector<Origin> origins;
  std::unordered_map<std::string, Allocation*> variables;                  // global and const
  std::unordered_map<std::string, const ptx::Variable*> module_variables;  // indexed by name, all spaces
  std::deque<KernelInfo> kernels;
  std::unordered_map<std::string, const KernelInfo*> kernel_by_name;
  std::vector<std::vector<std::int32_t>> reachable;  // indexed by function that is a kernel: what it may call

  std::vector<AccessWidth> access_widths;  // indexed by DecodedInstruction::index; empty: all as written
  std::vector<MachineWidths> widths_from;  // indexed by function; empty: all from PTX
  AccessWidth access_width(std::uint32_t index) const {
    return index < access_widths.size() ? access_widths[index] : AccessWidth{};
  }

  std::mutex mutex;  // guards the members below
  std::map<std::tuple<const KernelInfo*, bool, bool>, std::unique_ptr<Code>> codes;
  std::vector<Allocation*> parameter_buffers;  // free ones, for kernels that take addresses
  Allocation* grid_workspace = nullptr;
  // Kernels that have written where their code shows no write: from then on, any allocation counts as
  // written.
  std::set<const KernelInfo*> unforeseeable;
  // Kernels whose first blocks have waited for further ones, as at a barrier of the whole grid.
  std::set<const KernelInfo*> needs_company;
  void remember(const KernelInfo& kernel, bool is_unforeseeable, bool needs_others) {
    const std::lock_guard lock(mutex);
    if (is_unforeseeable) unforeseeable.insert(&kernel);
    if (needs_others) needs_company.insert(&kernel);
  }

  // Decoded at the first call. Thread-safe.
  const Code& code(const KernelInfo& kernel, CodeVariant variant);
};

inline std::uint64_t function_address(std::int32_t function) {
  return kFunctionAddresses + kFunctionAddressStep * static_cast<std::uint64_t>(function + 1);
}

// Allocates the module's global and constant variables and fills them in (decode/).
void place_variables(Program::Impl& impl);
// Parameters, shared memory and limits of each kernel (decode/).
void lay_out_kernels(Program::Impl& impl);
// Functions that a kernel may run, itself first (decode/).
std::vector<std::int32_t> find_reachable(const Program::Impl& impl, std::int32_t kernel);
bool makes_indirect_call(const ptx::Function& function);
// Name of the function that a call names directly, empty for an indirect one.
std::string called_name(const ptx::Instruction& call);

}  // namespace warpgrade::emulator
