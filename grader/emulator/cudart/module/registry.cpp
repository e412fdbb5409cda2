#include "cudart/module/registry.hpp"

#include "symbols/program_memory.hpp"

namespace warpgrade::cudart {

// The size of constant memory. Larger shadows are not read: reading would allocate the pages of a large
// array.
static constexpr std::size_t kMostShadow = std::size_t{64} << 10;

Registry& Registry::instance() {
  static auto* registry = new Registry;
  return *registry;
}

DeviceCode& Registry::add(std::unique_ptr<DeviceCode> code) {
  std::lock_guard lock(mutex_);
  DeviceCode* raw = code.get();
  codes_[raw] = std::move(code);
  return *raw;
}

DeviceCode& Registry::add_library(std::unique_ptr<DeviceCode> code) {
  std::lock_guard lock(mutex_);
  DeviceCode& added = add(std::move(code));
  libraries_.insert(&added);
  return added;
}

void Registry::remove(DeviceCode& code) {
  std::lock_guard lock(mutex_);
  libraries_.erase(&code);
  std::erase_if(functions_, [&](const auto& each) { return each.second->code == &code; });
  std::erase_if(symbols_, [&](const auto& each) { return each.second.code == &code; });
  codes_.erase(&code);
}

void Registry::reset() {
  std::lock_guard lock(mutex_);
  while (!libraries_.empty()) remove(**libraries_.begin());
  for (auto& [handle, code] : codes_) code->unload();
}

RegisteredFunction& Registry::handle(DeviceCode& code, const std::string& kernel) {
  std::lock_guard lock(mutex_);
  RegisteredFunction& function = code.function(kernel);
  functions_[&function] = &function;
  return function;
}

void Registry::add_stub(const void* host, DeviceCode& code, const std::string& kernel) {
  std::lock_guard lock(mutex_);
  functions_[host] = &handle(code, kernel);
}

void Registry::add_symbol(const void* host, RegisteredSymbol symbol) {
  std::lock_guard lock(mutex_);
  if (symbol.host_pointer == nullptr && symbol.bytes <= kMostShadow)
    symbol.shadow = emulator::program_bytes(reinterpret_cast<std::uint64_t>(host), symbol.bytes);
  symbols_[host] = std::move(symbol);
}

std::vector<std::string> Registry::written_shadows() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [host, symbol] : symbols_) {
    if (symbol.shadow.empty()) continue;
    const auto now = emulator::program_bytes(reinterpret_cast<std::uint64_t>(host), symbol.bytes);
    if (!now.empty() && now != symbol.shadow) out.push_back(symbol.name);
  }
  return out;
}

RegisteredFunction* Registry::find_function(const void* stub_or_handle) const {
  std::lock_guard lock(mutex_);
  const auto found = functions_.find(stub_or_handle);
  return found == functions_.end() ? nullptr : found->second;
}

const void* Registry::stub_of(const RegisteredFunction& function) const {
  std::lock_guard lock(mutex_);
  for (const auto& [name, found] : functions_)
    if (found == &function && name != found) return name;
  return &function;
}

const RegisteredSymbol* Registry::find_symbol(const void* host) const {
  std::lock_guard lock(mutex_);
  const auto found = symbols_.find(host);
  return found == symbols_.end() ? nullptr : &found->second;
}

DeviceCode* Registry::find_code(const void* handle) const {
  std::lock_guard lock(mutex_);
  const auto found = codes_.find(handle);
  return found == codes_.end() ? nullptr : found->second.get();
}

std::vector<DeviceCode*> Registry::codes() const {
  std::lock_guard lock(mutex_);
  std::vector<DeviceCode*> out;
  for (const auto& [handle, code] : codes_) out.push_back(code.get());
  return out;
}

std::vector<RegisteredSymbol> Registry::managed(const DeviceCode& code) const {
  std::lock_guard lock(mutex_);
  std::vector<RegisteredSymbol> out;
  for (const auto& [host, symbol] : symbols_)
    if (symbol.code == &code && symbol.host_pointer != nullptr) out.push_back(symbol);
  return out;
}

}  // namespace warpgrade::cudart
