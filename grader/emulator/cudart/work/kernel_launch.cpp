// A kernel call, from the program's arguments to its findings.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "cudart/memory/host_errors.hpp"
#include "cudart/runtime/interrupt.hpp"
#include "cudart/runtime/runtime.hpp"
#include "cudart/work/commands.hpp"
#include "findings/fault.hpp"
#include "launch/reachable_memory.hpp"
#include "launch/validate.hpp"
#include "ptx/tree/parse_error.hpp"
#include "ptx/tree/toolkit_file.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/kernel_names.hpp"

namespace warpgrade::cudart {
namespace {

emulator::Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

void check_cluster(const emulator::KernelInfo& kernel) {
  const auto& shape = kernel.program->module().functions[static_cast<std::size_t>(kernel.function)].cluster;
  const int blocks = std::max(shape[0], 1) * std::max(shape[1], 1) * std::max(shape[2], 1);
  if (blocks > 1)
    fail(cudaErrorNotSupported, "%s: clusters of %d blocks are not supported",
         emulator::names_of_kernel(kernel.name).plain.c_str(), blocks);
}

emulator::LaunchRequest request_of(const KernelWork& work, const emulator::KernelInfo& kernel) {
  emulator::LaunchRequest request;
  request.kernel = &kernel;
  request.grid = work.grid;
  request.block = work.block;
  request.dynamic_shared = static_cast<std::uint32_t>(
      std::min<std::size_t>(work.dynamic_shared, std::numeric_limits<std::uint32_t>::max()));
  request.parameters = work.parameters;
  request.cooperative = work.cooperative;
  request.max_dynamic_shared = static_cast<std::uint32_t>(work.function->max_dynamic_shared);
  return request;
}

std::vector<std::byte> pack(const emulator::KernelInfo& kernel, void** arguments) {
  std::vector<std::byte> packed(kernel.parameter_bytes);
  require(kernel.parameters.empty() || arguments != nullptr, cudaErrorInvalidValue);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const emulator::Parameter& each = kernel.parameters[i];
    require(arguments[i] != nullptr || each.bytes == 0, cudaErrorInvalidValue);
    if (each.bytes != 0) std::memcpy(packed.data() + each.offset, arguments[i], each.bytes);
  }
  return packed;
}

// The toolkit's headers pass parts of tiles through variables without a value (Thrust's set operations),
// which is not the program's fault.
void leave_out_variables_of_toolkit(std::vector<emulator::Finding>& findings) {
  std::erase_if(findings, [](const emulator::Finding& each) {
    return each.kind == emulator::FindingKind::uninitialised_variable && ptx::is_toolkit_file(each.site.file);
  });
}

// A kernel of the toolkit's headers tells the student nothing: name the line that led to it.
void name_callers(std::vector<emulator::Finding>& findings, const emulator::StreamOperation* operation) {
  for (emulator::Finding& each : findings) {
    if (!ptx::is_toolkit_file(each.site.file)) continue;
    const void* call = operation != nullptr ? operation->call : nullptr;
    if (call == nullptr) call = emulator::current_call();
    if (call != nullptr) each.message += ", in a kernel that " + emulator::place_of_call(call) + " launches";
  }
}

std::atomic<std::uint64_t> launches{0};  // that were made

}  // namespace

KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
                       std::size_t dynamic_shared, bool cooperative) {
  if (!runtime.config.record.empty()) runtime.recorded_kernel.find(runtime);
  KernelWork work;
  work.function = &runtime.function(function);
  work.grid = to_dim3(grid);
  work.block = to_dim3(block);
  work.dynamic_shared = dynamic_shared;
  work.cooperative = cooperative;
  const emulator::KernelInfo& kernel = runtime.kernel(*work.function);
  check_cluster(kernel);
  if (const auto refusal = emulator::check_request(request_of(work, kernel), runtime.limits)) {
    // Launches of a harness or of another process are reported now; any other program may check the error
    // later.
    const bool now = runtime.reporter.has_label() || emulator::calls_are_remote();
    if (now) report_refused(runtime, kernel.name, refusal->message);
    throw Failure{static_cast<cudaError_t>(refusal->status), refusal->message, false,
                  now ? std::string() : kernel.name};
  }
  work.parameters = pack(kernel, arguments);
  work.number = ++launches;
  return work;
}

std::uint64_t last_launch() { return launches; }

// Whether an instruction of the kernel does this. A function that it calls may do anything.
template <class Does>
static bool may(Runtime& runtime, const KernelWork& work, Does does) {
  const emulator::KernelInfo& kernel = runtime.kernel(*work.function);
  const ptx::Function& code = kernel.program->module().functions[static_cast<std::size_t>(kernel.function)];
  return std::any_of(code.instructions.begin(), code.instructions.end(), [&](const ptx::Instruction& each) {
    return each.opcode == ptx::Opcode::call || does(each);
  });
}

bool waits_for_last_kernel(Runtime& runtime, const KernelWork& work) {
  return may(runtime, work, [](const ptx::Instruction& each) {
    return each.opcode == ptx::Opcode::griddepcontrol && each.has(ptx::Modifier::wait);
  });
}

bool has_system_fence(Runtime& runtime, const KernelWork& work) {
  std::optional<bool>& known = work.function->has_system_fence;
  if (known) return *known;
  known = may(runtime, work, [](const ptx::Instruction& each) {
    const bool fences = each.opcode == ptx::Opcode::fence || each.opcode == ptx::Opcode::membar ||
                        each.has(ptx::Modifier::release) || each.has(ptx::Modifier::acq_rel);
    return fences && each.has(ptx::Modifier::sys);
  });
  return *known;
}

emulator::TouchedMemory may_access(Runtime& runtime, const KernelWork& work) {
  if (!runtime.memory.shares_with_host()) return {};
  try {
    const emulator::LaunchRequest request = request_of(work, runtime.kernel(*work.function));
    return emulator::find_reachable(request, runtime.memory, runtime.config.options);
  } catch (const ptx::ParseError&) {
    return {};  // the launch fails when it is run
  }
}

void launch_now(Runtime& runtime, const KernelWork& work, emulator::StreamOperation* operation) {
  runtime.function(work.function);  // a graph may outlive the library
  const emulator::KernelInfo& kernel = runtime.kernel(*work.function);
  const emulator::LaunchRequest request = request_of(work, kernel);
  emulator::LaunchResult result;
  const InterruptGuard guard;
  emulator::LaunchOptions options = runtime.config.options;
  options.in_turns = runtime.blocks_in_turns;
  options.step_limit = runtime.step_limit;
  options.interrupt = InterruptGuard::requested();
  if (operation != nullptr) options.touched = runtime.order.recording();
  if (runtime.reporter.wants_recording(runtime.config, runtime.recorded_kernel.name(), request))
    options.record = runtime.config.recording;
  try {
    result = emulator::launch(request, runtime.memory, runtime.limits, options);
  } catch (const ptx::ParseError& error) {  // the kernel uses an instruction that the emulator lacks
    throw Failure{cudaErrorInvalidPtx, work.function->code->origin() + ": " + error.what()};
  }
  leave_out_variables_of_toolkit(result.findings);
  name_callers(result.findings, operation);
  if (operation != nullptr) operation->touched = std::move(result.touched);
  if (!result.trace.empty() || result.recording) result.arrays = emulator::traced_arrays(runtime.memory);
  runtime.reporter.launched(request, result);
  InterruptGuard::raise_requested();
  const auto status = static_cast<cudaError_t>(result.status);
  // On hardware a launch returns at once, so the next call that needs the context returns the error.
  if (is_sticky(status))
    runtime.sticky = status;
  else
    require(status == cudaSuccess, status);
}

}  // namespace warpgrade::cudart
