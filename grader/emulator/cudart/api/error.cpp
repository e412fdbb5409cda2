// Error handling.
#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

// This thread asks for the errors of its calls.
void note_error_query() {
  if (Runtime* runtime = Runtime::made()) runtime->failed_calls.error_queried();
}

}  // namespace

extern "C" {

// Both return the last error of this thread's earlier calls, whether the context is lost or not: an H200
// returns 719 once and then success, while every call that needs the context keeps failing.
cudaError_t cudaGetLastError() {
  note_error_query();
  const cudaError_t code = last_error();
  set_last_error(cudaSuccess);
  return code;
}

cudaError_t cudaPeekAtLastError() {
  note_error_query();
  return last_error();
}

const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }
const char* cudaGetErrorString(cudaError_t error) { return error_text(error); }

}  // extern "C"
