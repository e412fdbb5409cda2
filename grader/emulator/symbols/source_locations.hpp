// Maps an instruction to its place in the student's source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "machine/finding.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {

struct SourcePlace {
  std::string file;  // as the compiler wrote it; empty if the module has no line information
  int line = 0, column = 0;
  std::string inlined_at;  // "kernel.cu:40"; empty if not inlined
};

// The innermost place outside the toolkit's own headers: atomicAdd() is an inline function of one.
SourcePlace place_of(const Program& program, std::uint32_t instruction);

// A name for the instruction's access, from its PTX: "global load", "shared store", "global atomic",
// "branch".
std::string access_name(const Program& program, std::uint32_t instruction);

// Text of a line of a file, without its end; empty if the file or line is not there. Cached.
std::string source_line(const std::string& file, int line);

// Fills file, line, column, source and inlined_at from the instruction.
void resolve(Site& site, const Program& program);
void resolve(Finding& finding, const Program& program);  // all its sites

}  // namespace warpgrade::emulator
