// Variables of the source and where their values are, from the debug information of a build with -G.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct DebugMember;

struct DebugType {
  enum class Kind : std::uint8_t { unknown, boolean, integer, natural, real, pointer, record };
  Kind kind = Kind::unknown;
  std::string name;  // "float"
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t>
      extents;  // of an array, the slowest dimension first; kind and bytes are an element's
  std::vector<DebugMember> members;  // of a record, bases first
  std::vector<DebugType> to;         // what a pointer of a parameter points to: one, or none
};

struct DebugMember {
  std::string name;  // empty: a base, or a record without a name
  std::uint64_t offset = 0;
  DebugType type;
};

// Where a variable is while the function's instructions [first, end) run.
struct DebugPlace {
  enum class Kind : std::uint8_t { reg, local, symbol };
  std::uint32_t first = 0, end = 0;  // indices in ptx::Function::instructions
  Kind kind = Kind::reg;
  std::string name;         // of the register or the symbol
  std::int64_t offset = 0;  // bytes from the symbol, or in the function's local memory
};

struct DebugVariable {
  std::string name;
  std::int32_t function = -1;  // in ptx::Module::functions; -1: of the module
  int line = 0;
  bool is_parameter = false;
  int position = -1;                 // of a parameter of the function, from 0
  std::uint32_t first = 0, end = 0;  // instructions of its scope
  DebugType type;
  std::vector<DebugPlace> places;  // empty: the compiler removed it
};

// Empty without debug information, and where it is not as nvcc writes it.
std::vector<DebugVariable> debug_variables(const ptx::Module& module);

}  // namespace warpgrade::emulator
