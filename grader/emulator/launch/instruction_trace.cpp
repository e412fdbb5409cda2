#include "launch/instruction_trace.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <ostream>

#include "analysis/flow/def_use.hpp"
#include "machine/decode_context.hpp"
#include "machine/program_impl.hpp"
#include "ops/control.hpp"
#include "ops/inserted.hpp"
#include "ptx/tree/dump.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

std::string number(ptx::Type type, std::uint64_t bits) {
  char text[40];
  if (type == ptx::Type::f32)
    std::snprintf(text, sizeof text, "%.9g",
                  static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  else if (type == ptx::Type::f64)
    std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(bits));
  else if (slot_type(type) == ptx::Type::b16)
    std::snprintf(text, sizeof text, "0x%04llx", static_cast<unsigned long long>(bits));
  else if (slot_type(type) == ptx::Type::b32)
    std::snprintf(text, sizeof text, "%d", static_cast<std::int32_t>(bits));
  else
    std::snprintf(text, sizeof text, bits >> 32 ? "0x%llx" : "%lld", static_cast<unsigned long long>(bits));
  return text;
}

// Difference of two values, by their type.
double step(ptx::Type type, std::uint64_t from, std::uint64_t to) {
  if (type == ptx::Type::f32) {
    const auto value = [](std::uint64_t bits) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    };
    return value(to) - value(from);
  }
  if (type == ptx::Type::f64) return std::bit_cast<double>(to) - std::bit_cast<double>(from);
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

std::string row_of_numbers(ptx::Type type, const std::vector<std::uint64_t>& values) {
  bool equal = true, even = values.size() > 3;
  for (std::size_t i = 1; i < values.size(); ++i) {
    equal &= values[i] == values[0];
    even = even && step(type, values[i - 1], values[i]) == step(type, values[0], values[1]);
  }
  if (equal) return number(type, values[0]);
  if (even)
    return number(type, values[0]) + ", " + number(type, values[1]) + ", … " + number(type, values.back());
  std::string text;
  for (const std::uint64_t value : values) text += (text.empty() ? "" : ", ") + number(type, value);
  return text;
}

struct EndOfLine {  // a destructor: also runs where the instruction faults
  std::ostream& out;
  ~EndOfLine() { out << std::endl; }
};

class Tracer {
 public:
  Tracer(Code& code, const Program& program, const InstructionTraceRequest& request, std::ostream& out)
      : code_(code), program_(program), request_(request), out_(out) {
    for (DecodedInstruction& instruction : code.instructions) {
      handlers_.push_back(instruction.handler);
      instruction.handler = step;
    }
    current = this;
  }
  ~Tracer() {
    current = nullptr;
    for (std::size_t i = 0; i < handlers_.size(); ++i) code_.instructions[i].handler = handlers_[i];
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

 private:
  static const DecodedInstruction* step(Warp& warp, const DecodedInstruction* at) {
    return current->run(warp, at);
  }

  const DecodedInstruction* run(Warp& warp, const DecodedInstruction* at) {
    const Handler handler = handlers_[code_.position(at)];
    if (!wants(warp, at, handler)) return handler(warp, at);
    ++written_;
    const std::uint32_t guard = at->guard == kNoOperand ? kFullMask : warp.mask(at->guard);
    const bool negated = handler == control::guarded_not || handler == control::branch_unless ||
                         handler == control::branch_unless_back;
    const std::uint32_t active = warp.active & (is_collective(at) ? kFullMask : negated ? ~guard : guard);
    const Origin& origin = program_.origin(at->index);
    const RegistersUsed used = registers_used(*origin.ptx);
    const std::byte* frame = warp.frame;
    const EndOfLine end{out_};
    out_ << head(at, active) << values(used.read, origin, frame, active, "    ");
    const DecodedInstruction* next = handler(warp, at);
    const bool waits = warp.active == 0 || (active & ~warp.active) != 0;
    if (!used.written.empty() && active != 0)
      out_ << (waits ? std::string("  → later") : values(used.written, origin, frame, active, "  → "));
    return next;
  }

  // Skips instructions that the decoder has added.
  bool wants(const Warp& warp, const DecodedInstruction* at, Handler handler) const {
    const Block& block = *warp.block;
    const Dim3& wanted = request_.block;
    if (written_ >= request_.most || warp.index != request_.warp || block.index.x != wanted.x ||
        block.index.y != wanted.y || block.index.z != wanted.z)
      return false;
    const Origin& origin = program_.origin(at->index);
    if (origin.ptx == nullptr || is_inserted(*at, handler)) return false;
    const bool branch = handler == control::branch_if || handler == control::branch_unless;
    return !branch || origin.ptx->opcode == Opcode::bra;
  }
  // Collectives use the field `guard` for another purpose.
  static bool is_collective(const DecodedInstruction* at) { return at->guard == 1; }

  std::string head(const DecodedInstruction* at, std::uint32_t active) const {
    const Origin& origin = program_.origin(at->index);
    std::string place;
    if (const ptx::Location* location = program_.location(at->index)) {
      const auto& files = program_.module().files;
      const auto file = files.find(location->file);
      const std::string name = file == files.end() ? std::string("?") : file->second;
      place = name.substr(name.rfind('/') + 1) + ":" + std::to_string(location->line);
    }
    char text[64];
    std::snprintf(text, sizeof text, "%-20s %08x  ", place.c_str(), active);
    return text +
           ptx::dump(*origin.ptx, program_.module().functions[static_cast<std::size_t>(origin.function)]);
  }

  std::string values(const std::vector<std::int32_t>& registers, const Origin& origin, const std::byte* frame,
                     std::uint32_t active, const char* lead) const {
    if (active == 0) return {};
    const ptx::Function& function = program_.module().functions[static_cast<std::size_t>(origin.function)];
    const std::vector<std::uint32_t>* slots = slots_of(&function);
    std::string text;
    for (const std::int32_t r : registers) {
      const auto index = static_cast<std::size_t>(r);
      if (!slots || index >= slots->size() || (*slots)[index] == kNoOperand) continue;
      const ptx::Register& known = function.registers[index];
      text += (text.empty() ? lead : "  ") + known.name + " = ";
      text += read(known.type, frame + (*slots)[index], active);
    }
    return text;
  }

  static std::string read(ptx::Type type, const std::byte* slot, std::uint32_t active) {
    if (type == ptx::Type::pred) {
      const std::uint32_t mask = *reinterpret_cast<const std::uint32_t*>(slot) & active;
      char text[16];
      std::snprintf(text, sizeof text, "%08x", mask);
      return mask == active ? "true" : mask == 0 ? "false" : text;
    }
    const std::size_t bytes = slot_bytes(type) / kWarpSize;
    std::vector<std::uint64_t> values;
    for (; active != 0; active &= active - 1) {
      std::uint64_t value = 0;
      std::memcpy(&value, slot + static_cast<std::size_t>(std::countr_zero(active)) * bytes,
                  std::min<std::size_t>(bytes, 8));
      values.push_back(value);
    }
    return row_of_numbers(type, values);
  }

  const std::vector<std::uint32_t>* slots_of(const ptx::Function* function) const {
    for (const CodeFunction& each : code_.functions)
      if (each.source == function) return &each.register_slots;
    return nullptr;
  }

  static inline Tracer* current = nullptr;
  Code& code_;
  const Program& program_;
  const InstructionTraceRequest& request_;
  std::ostream& out_;
  std::vector<Handler> handlers_;
  std::size_t written_ = 0;
};

}  // namespace

LaunchResult trace_instructions(const LaunchRequest& request, DeviceMemory& memory,
                                const DeviceLimits& limits, const InstructionTraceRequest& trace,
                                std::ostream& out) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  LaunchOptions options;
  options.check_memory = true;
  options.check_race = options.check_init = options.check_barrier = options.count = false;
  options.threads = 1;
  const Program& program = *request.kernel->program;
  program.impl().code(*request.kernel, {});
  const Tracer tracer(*program.impl().codes.at({request.kernel, false, false}), program, trace, out);
  return launch(request, memory, limits, options);
}

}  // namespace warpgrade::emulator
