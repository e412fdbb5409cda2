#include "ptx/parser/names.hpp"

#include <charconv>

#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

// Limits far above what a compiler writes; they bound the cost of hostile input.
constexpr std::size_t kMaxRegisters = 1u << 18;
constexpr std::size_t kMaxRanges = 1024;

}  // namespace

void Names::open() {
  Scope scope;
  scope.parent = open_.empty() ? -1 : open_.back();
  open_.push_back(static_cast<std::int32_t>(scopes_.size()));
  scopes_.push_back(std::move(scope));
}

void Names::close() {
  Scope& scope = scopes_[static_cast<std::size_t>(open_.back())];
  scope.names = {};
  scope.ranges = {};
  open_.pop_back();
}

std::int32_t Names::add_register(std::string name, Type type, TextPosition place) {
  if (function_.registers.size() >= kMaxRegisters)
    throw ParseError(place, "this function has more than 262,144 registers");
  function_.registers.push_back({std::move(name), type});
  return static_cast<std::int32_t>(function_.registers.size() - 1);
}

void Names::declare_registers(std::string_view name, Type type, std::size_t vector, TextPosition place) {
  Scope& scope = scopes_[static_cast<std::size_t>(open_.back())];
  const std::string text(name);
  Binding binding{Meaning::Kind::reg, 0, 1, {}};
  if (vector > 1) {
    binding = {Meaning::Kind::vector, 0, static_cast<std::int32_t>(vector), {}};
    for (std::size_t i = 0; i < vector; ++i) {
      const std::int32_t index = add_register(text + "." + std::string(1, "xyzw"[i % 4]), type, place);
      if (i == 0) binding.index = index;
    }
  } else {
    binding.index = add_register(text, type, place);
  }
  if (!scope.names.emplace(text, std::move(binding)).second)
    throw ParseError(place, "'" + text.substr(0, 40) + "' is declared twice in one scope");
}

void Names::declare_range(std::string_view prefix, std::size_t count, Type type, TextPosition place) {
  Scope& scope = scopes_[static_cast<std::size_t>(open_.back())];
  if (scope.ranges.size() == kMaxRanges)
    throw ParseError(place, "more than 1,024 register ranges in one scope");
  RegisterRange range{std::string(prefix), static_cast<std::int32_t>(function_.registers.size()),
                      static_cast<std::uint32_t>(count)};
  const std::string text(prefix);
  for (std::size_t i = 0; i < count; ++i) add_register(text + std::to_string(i), type, place);
  scope.ranges.push_back(std::move(range));
}

// The first use of a name keeps it; later ones get ".1", ".2" and so on, which no PTX name can end in.
std::string Names::unique(std::string_view name, Map<int>& uses) {
  std::string text(name);
  const int earlier = uses[text]++;
  if (earlier > 0) text += "." + std::to_string(earlier);
  return text;
}

void Names::declare_variable(std::string_view name, Variable& variable) {
  const std::string unique_name = unique(name, variable_uses_);
  variable.name = function_.name + "::" + unique_name;
  Scope& scope = scopes_[static_cast<std::size_t>(open_.back())];
  if (!scope.names.emplace(std::string(name), Binding{Meaning::Kind::variable, -1, 1, variable.name}).second)
    throw ParseError(variable.place,
                     "'" + std::string(name.substr(0, 40)) + "' is declared twice in one scope");
}

std::string Names::declare_label(std::string_view name, TextPosition place) {
  std::string text = unique(name, label_uses_);
  Scope& scope = scopes_[static_cast<std::size_t>(open_.back())];
  if (!scope.labels.emplace(std::string(name), text).second)
    throw ParseError(place, "the label '" + std::string(name.substr(0, 40)) + "' stands twice in one scope");
  return text;
}

std::int32_t Names::in_ranges(const Scope& scope, std::string_view name) {
  for (const RegisterRange& range : scope.ranges) {
    if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) continue;
    const std::string_view digits = name.substr(range.prefix.size());
    std::uint32_t number = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || last != digits.data() + digits.size()) continue;
    if (number < range.count && (digits.size() == 1 || digits[0] != '0'))
      return range.first + static_cast<std::int32_t>(number);
  }
  return -1;
}

Names::Meaning Names::find(std::string_view name) const {
  for (std::size_t i = open_.size(); i-- > 0;) {
    const Scope& scope = scopes_[static_cast<std::size_t>(open_[i])];
    if (!scope.ranges.empty()) {
      const std::int32_t index = in_ranges(scope, name);
      if (index >= 0) return {Meaning::Kind::reg, index, 1, nullptr};
    }
    if (scope.names.empty()) continue;
    const auto found = scope.names.find(name);
    if (found == scope.names.end()) continue;
    const Binding& binding = found->second;
    return {binding.kind, binding.index, binding.count,
            binding.kind == Meaning::Kind::variable ? &binding.unique : nullptr};
  }
  return {};
}

const std::string* Names::find_label(std::int32_t scope, std::string_view name) const {
  for (; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    const auto& labels = scopes_[static_cast<std::size_t>(scope)].labels;
    const auto found = labels.find(name);
    if (found != labels.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace warpgrade::ptx
