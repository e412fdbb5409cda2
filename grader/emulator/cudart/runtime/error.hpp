// Errors of API calls: codes, texts, messages, and the last error of each host thread.
#pragma once

#include <driver_types.h>

#include <string>

namespace warpgrade::cudart {

// Ends an API call with this error. `why` (may be empty) is printed to stderr, for a person.
struct Failure {
  cudaError_t code;
  std::string why;
  bool is_reported = false;  // a finding of its own reports it
  std::string refused = {};  // the kernel of a launch that asks for more than the GPU has
};

// The results of cudaGetErrorName and cudaGetErrorString, from errors.def.
const char* error_name(cudaError_t code);
const char* error_text(cudaError_t code);

// An error after which the context is lost: every later call returns it (700 …), cudaDeviceReset excepted.
bool is_sticky(cudaError_t code);

// The last error of the calling host thread; success if no call failed since it was last read.
cudaError_t last_error();
void set_last_error(cudaError_t code);

// Prints "warpgrade: WHERE: TEXT" as one line on stderr.
void complain(const std::string& where, const std::string& text);

}  // namespace warpgrade::cudart
