// A copy as the front end describes it to the back end.
#pragma once

#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/program_memory.hpp"

namespace warpgrade::remoting {

// A copy of rows. `stream`: null for a node of a graph.
struct ProgramCopy {
  void* to;
  std::uint64_t to_pitch;
  const void* from;
  std::uint64_t from_pitch;
  std::uint64_t width, height;
  cudaMemcpyKind kind;
  cudaStream_t stream;

  ProgramRows target() const { return {reinterpret_cast<std::uint64_t>(to), to_pitch, width, height}; }
  ProgramRows source() const { return {reinterpret_cast<std::uint64_t>(from), from_pitch, width, height}; }
};

// Appends the copy and the rows of the program's own memory that it reads. False where it is too large.
bool put(MessageWriter& in, const ProgramCopy& copy);

// The place in the device's memory of a variable of the program.
cudaError_t place_of(const void* symbol, std::uint64_t offset, const void* caller, void*& place);

}  // namespace warpgrade::remoting
