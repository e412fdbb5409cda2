// The head of a recording, as one line of JSON.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "findings/fault.hpp"
#include "machine/block_recording.hpp"
#include "machine/launch.hpp"
#include "machine/memory/device_memory.hpp"
#include "machine/observers.hpp"
#include "machine/program_impl.hpp"
#include "ptx/tree/dump.hpp"
#include "recording/debug_variables.hpp"
#include "symbols/kernel_names.hpp"
#include "symbols/shared_variables.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json triple(const Dim3& at) { return Json::array({at.x, at.y, at.z}); }

class Head {
 public:
  Head(const BlockRecording& recording, const LaunchRequest& request)
      : recording_(recording),
        kernel_(*request.kernel),
        program_(*request.kernel->program),
        module_(program_.module()),
        variables_(debug_variables(module_)) {
    for (const std::int32_t function : program_.impl().reachable[static_cast<std::size_t>(kernel_.function)])
      functions_.push_back(function);
  }

  Json functions() const {
    Json out = Json::array();
    for (const std::int32_t f : functions_)
      out.push_back({{"name", function(f).name},
                     {"number", f},
                     {"first", first(f)},
                     {"instructions", function(f).instructions.size()}});
    return out;
  }

  // For each function: line of the source, number of its file, line of the call that it was inlined into,
  // text.
  Json instructions() {
    Json out = Json::array();
    for (const std::int32_t f : functions_) {
      Json of_function = Json::array();
      for (std::size_t i = 0; i < function(f).instructions.size(); ++i) {
        const SourcePlace place = place_of(program_, first(f) + static_cast<std::uint32_t>(i));
        of_function.push_back({place.line, file(place.file), place.inlined_at,
                               ptx::dump(function(f).instructions[i], function(f))});
      }
      out.push_back(std::move(of_function));
    }
    return out;
  }

  Json files() const { return files_; }

  // Function, name and type of each.
  Json registers() const {
    Json out = Json::array();
    for (const RecordedRegister& each : recording_.registers) {
      const ptx::Register& known = function(each.function).registers[static_cast<std::size_t>(each.reg)];
      out.push_back({each.function, known.name, ptx::type_name(known.type)});
    }
    return out;
  }

  Json shared() const {
    Json out = Json::array();
    for (const SharedVariable& each : kernel_.shared)
      out.push_back({{"name", short_name(each.name)}, {"offset", each.offset}, {"bytes", each.bytes}});
    return out;
  }

  Json variables() const {
    Json out = Json::array();
    for (const DebugVariable& each : variables_) {
      const bool runs = each.function < 0 ||
                        std::find(functions_.begin(), functions_.end(), each.function) != functions_.end();
      if (!runs) continue;
      const std::uint32_t base = each.function < 0 ? 0 : first(each.function);
      Json places = Json::array();
      for (const DebugPlace& place : each.places)
        if (Json made = this->place(each, place, base); !made.is_null()) places.push_back(std::move(made));
      out.push_back({{"name", each.name},
                     {"function", each.function},
                     {"line", each.line},
                     {"parameter", each.is_parameter},
                     {"first", base + each.first},
                     {"end", base + each.end},
                     {"type", type(each.type)},
                     {"places", std::move(places)}});
    }
    return out;
  }

  // Arrays that the host has named, and other memory that the block has accessed, except variables of the
  // source.
  Json arrays(const std::vector<TracedArray>& named) const {
    Json out = Json::array();
    std::set<std::uint64_t> known;
    for (const DebugVariable& each : variables_)
      for (const DebugPlace& place : each.places)
        if (const Allocation* global = variable_at(place)) known.insert(global->open_begin);
    for (const TracedArray& each : named)
      if (known.insert(each.address).second)
        out.push_back({{"name", each.name},
                       {"address", hex(each.address)},
                       {"bytes", each.bytes},
                       {"unwritten", unwritten(each.address, each.bytes)}});
    for (const RecordedMemory& memory : recording_.memory) {
      const Allocation& each = *memory.allocation;
      const std::uint64_t bytes = each.open_end - each.open_begin;
      if (known.insert(each.open_begin).second)
        out.push_back({{"name", name_of(each)},
                       {"address", hex(each.open_begin)},
                       {"bytes", bytes},
                       {"unwritten", unwritten(each.open_begin, bytes)},
                       {"allocated", place_of_allocation(each)}});
    }
    return out;
  }

  // The parts of an array that were unwritten before: first byte, and one past the last byte.
  Json unwritten(std::uint64_t address, std::uint64_t bytes) const {
    Json out = Json::array();
    for (const RecordedMemory& memory : recording_.memory)
      for (const auto& [begin, end] : memory.unwritten)
        if (const auto first = std::max(begin, address), last = std::min(end, address + bytes); first < last)
          out.push_back({first - address, last - address});
    return out;
  }

  // The pointers in the kernel's parameters, each with its target; without names of variables, every
  // parameter that is as wide as a pointer.
  Json pointers(std::span<const std::byte> values) const {
    Json out = Json::array();
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
      const Parameter& each = kernel_.parameters[p];
      if (each.offset + each.bytes > values.size()) continue;
      const std::span<const std::byte> bytes(values.data() + each.offset, each.bytes);
      const auto is_it = [&](const DebugVariable& variable) {
        return variable.function == kernel_.function && variable.position == static_cast<int>(p);
      };
      const auto found = std::find_if(variables_.begin(), variables_.end(), is_it);
      if (found != variables_.end())
        pointers_in(found->type, found->name, bytes, out);
      else if (each.bytes == sizeof(std::uint64_t))
        put_pointer("parameter " + std::to_string(p + 1), nullptr, bytes, out);
    }
    return out;
  }

 private:
  static void put_pointer(const std::string& name, Json to, std::span<const std::byte> bytes, Json& out) {
    std::uint64_t value = 0;
    if (bytes.size() < sizeof value) return;
    std::memcpy(&value, bytes.data(), sizeof value);
    if (value != 0) out.push_back({{"name", name}, {"address", hex(value)}, {"to", std::move(to)}});
  }

  // Pointers in a value: the value itself, the members of a record, or the elements of an array of one
  // dimension.
  static void pointers_in(const DebugType& type, const std::string& name, std::span<const std::byte> bytes,
                          Json& out) {
    const bool is_array = type.extents.size() == 1;
    const std::uint64_t count = type.extents.empty() ? 1 : is_array ? type.extents[0] : 0;
    for (std::uint64_t i = 0; i < count && (i + 1) * type.bytes <= bytes.size(); ++i) {
      const std::string path = is_array ? name + "[" + std::to_string(i) + "]" : name;
      const auto element = bytes.subspan(i * type.bytes);
      if (type.kind == DebugType::Kind::pointer)
        put_pointer(path, type.to.empty() ? Json() : Head::type(type.to[0]), element, out);
      for (const DebugMember& each : type.members)
        if (each.offset <= element.size())
          pointers_in(each.type, each.name.empty() ? path : path + "." + each.name,
                      element.subspan(each.offset), out);
    }
  }

  // The module's variable that the place is in; null: none.
  const Allocation* variable_at(const DebugPlace& place) const {
    return place.kind == DebugPlace::Kind::symbol ? program_.find_variable(place.name) : nullptr;
  }

  const ptx::Function& function(std::int32_t f) const {
    return module_.functions[static_cast<std::size_t>(f)];
  }
  std::uint32_t first(std::int32_t f) const {
    return program_.impl().first_index[static_cast<std::size_t>(f)];
  }

  std::size_t file(const std::string& name) {
    const auto found = std::find(files_.begin(), files_.end(), name);
    if (found != files_.end()) return static_cast<std::size_t>(found - files_.begin());
    files_.push_back(name);
    return files_.size() - 1;
  }

  static Json type(const DebugType& type) {
    constexpr const char* kinds[] = {"", "bool", "int", "uint", "float", "pointer", "struct"};
    Json out = {{"kind", kinds[static_cast<int>(type.kind)]},
                {"name", type.name},
                {"bytes", type.bytes},
                {"extents", type.extents}};
    for (const DebugMember& each : type.members)
      out["members"].push_back(
          {{"name", each.name}, {"offset", each.offset}, {"type", Head::type(each.type)}});
    return out;
  }

  // First and last instruction, where it is, and the register's number or the address. Null: not known.
  Json place(const DebugVariable& variable, const DebugPlace& place, std::uint32_t base) const {
    const auto made = [&](const char* where, std::uint64_t at) {
      return Json::array({base + place.first, base + place.end, where, at});
    };
    const auto offset = static_cast<std::uint64_t>(place.offset);
    switch (place.kind) {
      case DebugPlace::Kind::reg:
        for (std::size_t r = 0; r < recording_.registers.size(); ++r) {
          const RecordedRegister& each = recording_.registers[r];
          if (each.function == variable.function &&
              function(each.function).registers[static_cast<std::size_t>(each.reg)].name == place.name)
            return made("register", r);
        }
        return nullptr;
      case DebugPlace::Kind::local:
        return variable.function == kernel_.function ? made("local", offset) : Json(nullptr);
      case DebugPlace::Kind::symbol:
        for (const SharedVariable& each : kernel_.shared)
          if (each.name == place.name || each.name.ends_with("::" + place.name))
            return made("shared", each.offset + offset);
        for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
          if (const std::string& name = kernel_.parameters[p].name;
              name == place.name || name.ends_with("::" + place.name))
            return made("parameter", p);
        if (const Allocation* global = variable_at(place)) return made("global", global->base + offset);
        return nullptr;
    }
    return nullptr;
  }

  const BlockRecording& recording_;
  const KernelInfo& kernel_;
  const Program& program_;
  const ptx::Module& module_;
  const std::vector<DebugVariable> variables_;
  std::vector<std::int32_t> functions_;
  std::vector<std::string> files_;
};

Json parameters(const LaunchRequest& request) {
  Json out = Json::array();
  for (const Parameter& each : request.kernel->parameters) {
    std::uint64_t value = 0;
    const bool fits = each.bytes <= sizeof value && each.offset + each.bytes <= request.parameters.size();
    if (fits) std::memcpy(&value, request.parameters.data() + each.offset, each.bytes);
    out.push_back({{"name", short_name(each.name)},
                   {"bytes", each.bytes},
                   {"value", fits ? Json(hex(value)) : Json()}});
  }
  return out;
}

}  // namespace

std::string to_json(const BlockRecording& recording, const LaunchRequest& request,
                    const std::vector<TracedArray>& arrays, const std::vector<Finding>& findings,
                    const std::string& label, std::uint64_t launch) {
  Head head(recording, request);
  Json out;
  out["format"] = kFormat;
  out["label"] = label;
  out["launch"] = launch;
  out["kernel"] = request.kernel->name;
  out["called"] = names_of_kernel(request.kernel->name).plain;
  out["grid"] = triple(request.grid);
  out["block"] = triple(request.block);
  out["block_index"] = triple(recording.request.block);
  out["first"] = recording.request.first;
  out["steps"] = recording.steps;
  out["all"] = recording.all;
  out["unwritten_byte"] = kUnwrittenByte;
  out["complete"] = recording.complete;
  out["failed"] = recording.failed;
  out["bytes"] = recording.bytes.size();
  out["parameters"] = parameters(request);
  out["shared_bytes"] = recording.shared_bytes;
  out["shared"] = head.shared();
  out["arrays"] = head.arrays(arrays);
  out["pointers"] = head.pointers(request.parameters);
  out["functions"] = head.functions();
  out["instructions"] = head.instructions();
  out["files"] = head.files();
  out["registers"] = head.registers();
  out["variables"] = head.variables();
  out["findings"] = Json::array();
  for (const Finding& each : findings)
    out["findings"].push_back(Json::parse(to_json(each, label, launch, request.kernel->name)));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpgrade::emulator
