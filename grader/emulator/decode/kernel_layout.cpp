// Parameters, shared memory and limits of each kernel.
#include <algorithm>
#include <unordered_set>

#include "analysis/registers/liveness.hpp"
#include "machine/program_impl.hpp"
#include "machine/special_registers.hpp"

namespace warpgrade::emulator {
namespace {

std::uint32_t align_up(std::uint32_t value, std::size_t alignment) {
  const auto mask = static_cast<std::uint32_t>(std::max<std::size_t>(alignment, 1) - 1);
  return (value + mask) & ~mask;
}

void lay_out_parameters(KernelInfo& kernel, const ptx::Function& function) {
  for (const ptx::Variable& parameter : function.parameters) {
    kernel.parameter_bytes = align_up(kernel.parameter_bytes, parameter.alignment);
    kernel.parameters.push_back({parameter.name, kernel.parameter_bytes,
                                 static_cast<std::uint32_t>(parameter.bytes),
                                 static_cast<std::uint32_t>(parameter.alignment)});
    kernel.parameter_bytes += static_cast<std::uint32_t>(parameter.bytes);
  }
}

// Shared variables that one of these functions declares or uses.
std::vector<const ptx::Variable*> find_shared(const Program::Impl& impl,
                                              const std::vector<std::int32_t>& reachable) {
  std::vector<const ptx::Variable*> found;
  std::unordered_set<const ptx::Variable*> seen;
  auto add = [&](const ptx::Variable& variable) {
    if (variable.space == ptx::Space::shared && seen.insert(&variable).second) found.push_back(&variable);
  };
  for (std::int32_t f : reachable) {
    const ptx::Function& function = impl.module.functions[static_cast<std::size_t>(f)];
    for (const ptx::Variable& variable : function.variables) add(variable);
    for (const ptx::Instruction& instruction : function.instructions) {
      for (const ptx::Operand& operand : instruction.operands) {
        auto named =
            operand.symbol.empty() ? impl.module_variables.end() : impl.module_variables.find(operand.symbol);
        if (named != impl.module_variables.end()) add(*named->second);
      }
    }
  }
  return found;
}

bool asks_for_reserved_shared(const Program::Impl& impl, const std::vector<std::int32_t>& reachable) {
  for (std::int32_t f : reachable)
    for (const ptx::Instruction& each : impl.module.functions[static_cast<std::size_t>(f)].instructions)
      if (each.operands.size() > 1 && each.operands[1].kind == ptx::Operand::Kind::special &&
          is_reserved_shared(each.operands[1].symbol))
        return true;
  return false;
}

void lay_out_shared(KernelInfo& kernel, const Program::Impl& impl,
                    const std::vector<std::int32_t>& reachable) {
  if (asks_for_reserved_shared(impl, reachable)) {
    kernel.static_shared = kernel.reserved_shared = kReservedShared;
    kernel.shared.push_back({"the system's own", 0, kReservedShared});
  }
  const std::vector<const ptx::Variable*> variables = find_shared(impl, reachable);
  std::size_t dynamic_alignment = 1;
  for (const ptx::Variable* variable : variables) {
    if (variable->bytes == 0) {
      dynamic_alignment = std::max(dynamic_alignment, variable->alignment);
      continue;
    }
    const std::uint32_t offset = align_up(kernel.static_shared, variable->alignment);
    kernel.shared.push_back({variable->name, offset, static_cast<std::uint32_t>(variable->bytes)});
    kernel.static_shared = offset + static_cast<std::uint32_t>(variable->bytes);
  }
  kernel.dynamic_begin = align_up(kernel.static_shared, dynamic_alignment);
  for (const ptx::Variable* variable : variables) {
    if (variable->bytes == 0) kernel.shared.push_back({variable->name, kernel.dynamic_begin, 0});
  }
}

int largest_block(const ptx::Function& function) {
  auto product = [](const int(&d)[3]) { return std::max(d[0], 1) * std::max(d[1], 1) * std::max(d[2], 1); };
  if (function.required_threads[0] > 0) return product(function.required_threads);
  return function.max_threads[0] > 0 ? product(function.max_threads) : 1024;
}

// An upper estimate from live ranges: ptxas also schedules and rematerialises.
int estimate_registers(const ptx::Function& function) {
  const ControlFlow flow = build_control_flow(function);
  const std::vector<bool> none(function.registers.size(), false);
  return std::clamp(register_pressure(function, find_live_intervals(function, flow, none)) + 2, 8, 255);
}

}  // namespace

void lay_out_kernels(Program::Impl& impl) {
  impl.reachable.resize(impl.module.functions.size());
  for (std::size_t f = 0; f < impl.module.functions.size(); ++f) {
    const ptx::Function& function = impl.module.functions[f];
    if (!function.is_entry || function.is_declaration) continue;
    KernelInfo& kernel = impl.kernels.emplace_back();
    kernel.name = function.name;
    kernel.function = static_cast<std::int32_t>(f);
    kernel.program = impl.program;
    kernel.max_threads = largest_block(function);
    lay_out_parameters(kernel, function);
    impl.reachable[f] = find_reachable(impl, kernel.function);
    lay_out_shared(kernel, impl, impl.reachable[f]);
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::local) {
        kernel.local_bytes = align_up(kernel.local_bytes, variable.alignment);
        kernel.local_bytes += static_cast<std::uint32_t>(variable.bytes);
      }
    }
    kernel.registers = estimate_registers(function);
    impl.kernel_by_name[kernel.name] = &kernel;
  }
}

}  // namespace warpgrade::emulator
