#include "cudart/module/device_code.hpp"

#include <algorithm>
#include <span>

#include "fatbin/container.hpp"
#include "fatbin/cubin.hpp"
#include "ptx/parser/parser.hpp"
#include "ptx/tree/linker.hpp"

namespace warpgrade::cudart {

int ptx_architecture(int compute_capability) { return std::max(compute_capability, 75); }

std::unique_ptr<DeviceCode> DeviceCode::embedded(std::vector<const void*> containers, std::string origin) {
  std::unique_ptr<DeviceCode> code(new DeviceCode(std::move(origin)));
  code->containers_ = std::move(containers);
  return code;
}

std::unique_ptr<DeviceCode> DeviceCode::copied(std::string bytes, std::string origin) {
  std::unique_ptr<DeviceCode> code(new DeviceCode(std::move(origin)));
  code->bytes_ = std::move(bytes);
  return code;
}

std::unique_ptr<DeviceCode> DeviceCode::refused(cudaError_t error, std::string why) {
  std::unique_ptr<DeviceCode> code(new DeviceCode(""));
  code->broken_ = {error, std::move(why)};
  return code;
}

std::vector<std::vector<fatbin::Entry>> DeviceCode::parts() const {
  if (containers_.empty()) return {fatbin::read(std::as_bytes(std::span(bytes_.data(), bytes_.size())))};
  std::vector<std::vector<fatbin::Entry>> all;
  for (const void* each : containers_) all.push_back(fatbin::read_embedded(each));
  return all;
}

// The device runtime, which nvcc links to -rdc=true programs, may come without PTX: functions that are never
// called are not needed, and a missing one is named when it is called.
void DeviceCode::load(emulator::DeviceMemory& memory, int compute_capability) {
  std::vector<ptx::Module> modules;
  std::string why;
  for (const std::vector<fatbin::Entry>& part : parts()) try {
      modules.push_back(ptx::parse(fatbin::choose_ptx(part, ptx_architecture(compute_capability)).payload));
    } catch (const fatbin::FormatError& error) {
      why = error.what();
    }
  if (modules.empty()) throw Failure{cudaErrorNoKernelImageForDevice, why};
  program_ = emulator::Program::load(ptx::link(std::move(modules)), memory);
  ptx_version_ = program_->module().target;
}

// If the cubin cannot be read, the counters use the widths of the PTX, and say so.
void DeviceCode::use_machine_widths(int compute_capability) {
  const std::vector<std::vector<fatbin::Entry>> each = parts();
  if (each.size() != 1) return;  // the machine code belongs to all linked parts, the PTX to one
  const std::vector<fatbin::Entry>& all = each.front();
  const fatbin::Entry* machine = fatbin::find_machine_code(all, compute_capability);
  if (machine == nullptr) return;
  try {
    const fatbin::Entry& ptx = fatbin::choose_ptx(all, ptx_architecture(compute_capability));
    program_->use_machine_widths(fatbin::read_cubin(machine->payload), ptx.payload);
  } catch (const fatbin::FormatError&) {
  }
}

emulator::Program& DeviceCode::program(emulator::DeviceMemory& memory, int compute_capability) {
  if (broken_.code == cudaSuccess && !loaded()) {
    try {
      load(memory, compute_capability);
    } catch (const fatbin::FormatError& error) {
      broken_ = {cudaErrorInvalidKernelImage, error.what()};
    } catch (const ptx::ParseError& error) {
      broken_ = {cudaErrorInvalidPtx, error.what()};
    } catch (const Failure& failure) {
      broken_ = failure;
    }
  }
  if (broken_.code == cudaSuccess) return *program_;
  Failure now = broken_;
  broken_.why.clear();
  if (!now.why.empty() && !origin_.empty()) now.why = origin_ + ": " + now.why;
  throw now;
}

RegisteredFunction& DeviceCode::function(const std::string& name) {
  std::unique_ptr<RegisteredFunction>& slot = functions_[name];
  if (slot == nullptr) slot = std::make_unique<RegisteredFunction>(RegisteredFunction{this, name, 0, -1, {}});
  return *slot;
}

const emulator::KernelInfo* DeviceCode::kernel(const RegisteredFunction& function,
                                               emulator::DeviceMemory& memory, int compute_capability) {
  return program(memory, compute_capability).find_kernel(function.name);
}

}  // namespace warpgrade::cudart
