// `.file` and `.loc` (PTX ISA, 11.5): the source line of each instruction.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ptx/lexer/cursor.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// Keeps views of the PTX text until resolve_names().
class Locations {
 public:
  explicit Locations(Module& module) : module_(module) {}

  void parse_file(Cursor& cursor);              // after `.file`
  std::int32_t parse_location(Cursor& cursor);  // after `.loc`; index into Module::locations
  void begin_function() { latest_.clear(); }    // inlined_at means a place of the same function

  // A label of .debug_str and the string after it: what `function_name` refers to.
  void name_label(std::string_view label, std::string text);
  // At the module's end: .debug_str comes last in the text.
  void resolve_names();

 private:
  struct Key {
    int file, line, column, inlined_at;
    std::string_view label;
    bool operator==(const Key&) const = default;
  };
  struct LocationHash {
    std::size_t operator()(const Key& key) const;
  };
  struct FileLine {
    int file, line, column;
  };
  FileLine parse_place(Cursor& cursor);
  std::int32_t add(const Key& key);

  Module& module_;
  std::unordered_map<Key, std::int32_t, LocationHash> known_;
  std::unordered_map<Key, std::int32_t, LocationHash>
      latest_;  // the latest location without inlined_at and label
  std::unordered_map<std::string_view, std::string> names_;
};

}  // namespace warpgrade::ptx
