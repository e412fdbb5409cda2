// Name lookup in a function body: nested scopes of registers, variables and labels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

class Names {
 public:
  explicit Names(Function& function) : function_(function) { open(); }

  void open();
  void close();
  std::int32_t scope() const { return open_.back(); }
  std::size_t depth() const { return open_.size(); }

  // One register, or the parts of one of .v2 or .v4.
  void declare_registers(std::string_view name, Type type, std::size_t vector, TextPosition place);
  // `count` registers: prefix0, prefix1 and so on.
  void declare_range(std::string_view prefix, std::size_t count, Type type, TextPosition place);
  // Gives the variable its unique name.
  void declare_variable(std::string_view name, Variable& variable);
  // Name of a label, target list or prototype, unique in the function.
  std::string declare_label(std::string_view name, TextPosition place);

  struct Meaning {
    enum class Kind : std::uint8_t { nothing, reg, vector, variable };
    Kind kind = Kind::nothing;
    std::int32_t index = -1;            // first register
    std::int32_t count = 1;             // registers of a vector
    const std::string* name = nullptr;  // a variable's unique name
  };
  Meaning find(std::string_view name) const;
  // Label visible from `scope`, null if there is none.
  const std::string* find_label(std::int32_t scope, std::string_view name) const;

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  template <class Value>
  using Map = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;
  struct RegisterRange {
    std::string prefix;
    std::int32_t first;
    std::uint32_t count;
  };
  struct Binding {
    Meaning::Kind kind;
    std::int32_t index;
    std::int32_t count;
    std::string unique;
  };
  struct Scope {
    std::int32_t parent = -1;
    std::vector<RegisterRange> ranges;
    Map<Binding> names;
    Map<std::string> labels;
  };
  std::int32_t add_register(std::string name, Type type, TextPosition place);
  std::string unique(std::string_view name, Map<int>& uses);
  static std::int32_t in_ranges(const Scope& scope, std::string_view name);

  Function& function_;
  std::vector<Scope> scopes_;       // open and closed: labels are resolved at the end of the function
  std::vector<std::int32_t> open_;  // indices of the open ones
  Map<int> variable_uses_;
  Map<int> label_uses_;
};

}  // namespace warpgrade::ptx
