#include "isa/attribute.hpp"
#include "machine/program_impl.hpp"

#include "analysis/debug_build/debug_calls.hpp"
#include "analysis/debug_build/debug_inliner.hpp"
#include "decode/kernel.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;

Program::Program() : impl_(std::make_unique<Impl>()) {}
Program::~Program() {
  for (const auto& [name, allocation] : impl_->variables) impl_->memory->release(allocation->base);
  for (const Allocation* buffer : impl_->parameter_buffers) impl_->memory->release(buffer->base);
  if (impl_->grid_workspace) impl_->memory->release(impl_->grid_workspace->base);
}

// Appends a ret where a label follows the last instruction or a hand-written body falls off its end.
static void close_body(ptx::Function& function) {
  bool open = function.instructions.empty() || function.instructions.back().guard >= 0;
  if (!open) {
    const ptx::Instruction& last = function.instructions.back();
    open = last.opcode == Opcode::call || !isa::is(last, isa::Attribute::ends_block);
  }
  for (const auto& [label, at] : function.labels) open = open || at >= function.instructions.size();
  if (!open) return;
  ptx::Instruction end;
  end.set_form("ret");
  end.place = function.instructions.empty() ? function.place : function.instructions.back().place;
  if (!function.instructions.empty()) end.location = function.instructions.back().location;
  function.instructions.push_back(std::move(end));
}

static void number_instructions(Program::Impl& impl) {
  for (std::size_t f = 0; f < impl.module.functions.size(); ++f) {
    ptx::Function& function = impl.module.functions[f];
    impl.functions.emplace(function.name, static_cast<std::int32_t>(f));
    if (!function.is_declaration) close_body(function);
    impl.first_index.push_back(static_cast<std::uint32_t>(impl.origins.size()));
    for (const ptx::Instruction& instruction : function.instructions) {
      impl.origins.push_back({instruction.location, &instruction, static_cast<std::int32_t>(f)});
    }
  }
}

std::unique_ptr<Program> Program::load(ptx::Module module, DeviceMemory& memory) {
  std::unique_ptr<Program> program(new Program());
  Impl& impl = *program->impl_;
  impl.module = std::move(module);
  inline_toolkit_functions(impl.module);
  copy_toolkit_functions(impl.module);
  impl.memory = &memory;
  impl.program = program.get();
  for (const ptx::Variable& variable : impl.module.variables) {
    impl.module_variables.emplace(variable.name, &variable);
  }
  number_instructions(impl);
  place_variables(impl);
  lay_out_kernels(impl);
  return program;
}

const KernelInfo* Program::find_kernel(const std::string& name) const {
  auto found = impl_->kernel_by_name.find(name);
  return found == impl_->kernel_by_name.end() ? nullptr : found->second;
}

Allocation* Program::find_variable(const std::string& name) const {
  auto found = impl_->variables.find(name);
  return found == impl_->variables.end() ? nullptr : found->second;
}

std::vector<const KernelInfo*> Program::kernels() const {
  std::vector<const KernelInfo*> all;
  for (const KernelInfo& kernel : impl_->kernels) all.push_back(&kernel);
  return all;
}

const ptx::Module& Program::module() const { return impl_->module; }

const Origin& Program::origin(std::uint32_t index) const {
  static const Origin kNowhere;
  return index < impl_->origins.size() ? impl_->origins[index] : kNowhere;
}

std::uint32_t Program::instruction_count() const { return static_cast<std::uint32_t>(impl_->origins.size()); }

AccessWidth Program::access_width(std::uint32_t index) const { return impl_->access_width(index); }

const ptx::Location* Program::location(std::uint32_t index) const {
  const std::int32_t location = origin(index).location;
  return location < 0 ? nullptr : &impl_->module.locations[static_cast<std::size_t>(location)];
}

const Code& Program::Impl::code(const KernelInfo& kernel, CodeVariant variant) {
  const std::lock_guard lock(mutex);
  std::unique_ptr<Code>& code = codes[{&kernel, variant.observed, variant.counted}];
  if (!code) code = decode_kernel(*this, kernel, variant);
  return *code;
}

}  // namespace warpgrade::emulator
